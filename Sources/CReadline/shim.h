#ifndef SATCHEL_CREADLINE_SHIM_H
#define SATCHEL_CREADLINE_SHIM_H

#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

/* readline's variables are global and mutable, which Swift 6 refuses: these are the doors to them. */

static inline void satchel_rl_configure(
    const char *name, const char *word_breaks, const char *quotes,
    rl_completion_func_t *complete, rl_linebuf_func_t *is_quoted, rl_compdisp_func_t *display)
{
    rl_readline_name = name;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    /* Setting LINES and COLUMNS would be a setenv beside other threads. */
    rl_change_environment = 0;
    rl_completer_word_break_characters = word_breaks;
    rl_completer_quote_characters = quotes;
    rl_attempted_completion_function = complete;
    rl_char_is_quoted_p = is_quoted;
    rl_completion_display_matches_hook = display;
    rl_sort_completion_matches = 0;
    rl_ignore_completion_duplicates = 0;
    /* The question "Display all 500 possibilities?" would wait without an event loop. */
    rl_completion_query_items = -1;
}

static inline const char *satchel_rl_line(void) { return rl_line_buffer; }
static inline int satchel_rl_point(void) { return rl_point; }
static inline int satchel_rl_end(void) { return rl_end; }

/* True while keys go to a search or a count instead of the line. */
static inline int satchel_rl_is_searching(void) {
    return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG) != 0;
}

static inline void satchel_rl_end_completion(int append_space, int suppress_quote) {
    /* Never fall back on names of files. */
    rl_attempted_completion_over = 1;
    rl_completion_append_character = append_space ? ' ' : '\0';
    rl_completion_suppress_quote = suppress_quote;
}

static inline void satchel_rl_print(const char *text, size_t count) {
    fwrite(text, 1, count, rl_outstream);
    fflush(rl_outstream);
}

/* readline's own order: the prompt's screen lines are measured when it is set. */
static inline void satchel_rl_abandon_line(void) {
    rl_callback_sigcleanup();
    rl_free_line_state();
    rl_replace_line("", 1);
}

#endif
