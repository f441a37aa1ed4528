/* Says whether AddressSanitizer watches this build: it needs address space, and reads the process
 * like a debugger, so limits and protections that stand in its way are left out there. */
#ifndef BASE_SANITIZED_H
#define BASE_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
