/* Placeholder until the commands arrive. */
typedef int cli_placeholder;
