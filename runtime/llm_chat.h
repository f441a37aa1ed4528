/* Chat completions: what the writer and the reader of the protocol share. */
#ifndef RUNTIME_LLM_CHAT_H
#define RUNTIME_LLM_CHAT_H

#include "runtime/protocol.h"

gramc_status chat_reply(struct reply *out, struct arena *arena, gramc_text body, gramc_text *why);

#endif
