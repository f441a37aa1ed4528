/* What the strategy `prompted` says to its model, and nothing else. What is filled in stands
 * between these pieces; models without tool calls are small, so all of it is short. */
#ifndef RUNTIME_PROMPTED_WORDS_H
#define RUNTIME_PROMPTED_WORDS_H

/* ## What there is */
#define WORDS_MUST_USE "Here is a tool that you must use for a task that follows:\n"
#define WORDS_MAY_USE "Here is a tool that you may use for a task that follows:\n"
#define WORDS_TOOLS "Here are tools that you can use for a task that follows:\n"
#define WORDS_ACKNOWLEDGE "\nSay whether you understand."

/* ## How it is called */
#define WORDS_SHAPE "You call the tool `"
#define WORDS_SHAPE_IS                                                                             \
    "` by answering with its arguments as one JSON object, each under its own name and of its "    \
    "own "                                                                                         \
    "type:\n"
#define WORDS_PARAMETERS "\nThe arguments are:"
#define WORDS_NO_PARAMETERS "\nIt takes no arguments."
#define WORDS_EXAMPLE "For practice, call the tool `"
#define WORDS_EXAMPLE_WITH "` with these arguments: "
#define WORDS_EXAMPLES_DONE "That was right."
#define WORDS_EXAMPLES_HEARD "Good, I know how it is called."

/* ## Whether a tool is needed: a question for thinking, and one for a word */
#define WORDS_NEEDED "Does this task need the tool `"
#define WORDS_NEEDED_ONE "`? Do not solve it yet; say what you think, in a sentence or two.\n"
#define WORDS_NEEDED_ANY                                                                           \
    "Does this task need one of the tools? Do not solve it yet; say which and why, in a sentence " \
    "or two.\n"
#define WORDS_DECIDE "So, shall a tool be used? Answer with one word: yes or no."
#define WORDS_MORE                                                                                 \
    "Does the task need another call of a tool? Say why, and what is left to do. If nothing is "   \
    "left, say the answer to the task."
#define WORDS_DECIDE_MORE "So, shall a tool be called again? Answer with one word: yes or no."

/* ## Which one */
#define WORDS_CHOOSE "Which tool shall be called now? They are: "
#define WORDS_CHOOSE_ONE ". Answer with the name of one of them, and nothing else."
#define WORDS_NOT_CHOSEN "That was not the name of one tool. "

/* ## The call */
#define WORDS_TASK "The task is:\n"
#define WORDS_CALL_FOR                                                                             \
    "Call the tool for the task that follows. Answer with the JSON object alone.\n"
#define WORDS_CALL "Call the tool now. Answer with the JSON object alone."
#define WORDS_MEND "\nMend the arguments, and answer with the JSON object alone, like this: "
#define WORDS_RESULT "The tool answered:\n"
#define WORDS_VOID "` was called. It returns nothing."

/* ## The answer, where it must be of a type or the call was denied */
#define WORDS_ANSWER "\n\nAnswer the task now, from what the tools said. "

#endif
