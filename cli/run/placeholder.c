/* Placeholder until this layer arrives. */
typedef int placeholder;
