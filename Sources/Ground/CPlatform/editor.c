// SPDX-License-Identifier: MIT
#include "CLineEditor.h"

#include "CDynamicLibrary.h"

#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// Older lines of the history are forgotten.
enum { HISTORY_LIMIT = 1000 };

static struct {
  void (*callback_handler_install)(const char *, void (*)(char *));
  void (*callback_read_char)(void);
  void (*callback_handler_remove)(void);
  int (*set_prompt)(const char *);
  void (*forced_update_display)(void);
  void (*resize_terminal)(void);
  char **(*completion_matches)(const char *, char *(*)(const char *, int));
  int (*add_history)(const char *);
  int (*read_history)(const char *);
  int (*write_history)(const char *);
  void (*stifle_history)(int);
  void (*using_history)(void);
  void (*clear_history)(void);
  char **line_buffer;
  int *point;
  char **(**attempted_completion_function)(const char *, int, int);
  int *attempted_completion_over;
  const char **basic_word_break_characters;
  const char **readline_name;
} edit;

static void (*line_handler)(const char *);
static void (*completion_begin)(const char *, int);
static const char *(*completion_candidate)(int);

static char *generate(const char *text, int state) {
  static int index;
  if (state == 0) index = 0;
  const char *candidate;
  while ((candidate = completion_candidate(index))) {
    index++;
    if (strncmp(candidate, text, strlen(text)) == 0) return strdup(candidate);
  }
  return NULL;
}

static char **complete(const char *text, int start, int end) {
  (void)end;
  // Never completes file names.
  *edit.attempted_completion_over = 1;
  if (!completion_begin) return NULL;
  completion_begin(*edit.line_buffer, start);
  return edit.completion_matches(text, generate);
}

const char *cline_load(void) {
  static int is_loaded;
  if (is_loaded) return NULL;
  const struct cdynamic_symbol symbols[] = {
      {"rl_callback_handler_install", &edit.callback_handler_install},
      {"rl_callback_read_char", &edit.callback_read_char},
      {"rl_callback_handler_remove", &edit.callback_handler_remove},
      {"rl_set_prompt", &edit.set_prompt},
      {"rl_forced_update_display", &edit.forced_update_display},
      {"rl_resize_terminal", &edit.resize_terminal},
      {"rl_completion_matches", &edit.completion_matches},
      {"add_history", &edit.add_history},
      {"read_history", &edit.read_history},
      {"write_history", &edit.write_history},
      {"stifle_history", &edit.stifle_history},
      {"using_history", &edit.using_history},
      {"clear_history", &edit.clear_history},
      {"rl_line_buffer", &edit.line_buffer},
      {"rl_point", &edit.point},
      {"rl_attempted_completion_function", &edit.attempted_completion_function},
      {"rl_attempted_completion_over", &edit.attempted_completion_over},
      {"rl_basic_word_break_characters", &edit.basic_word_break_characters},
      {"rl_readline_name", &edit.readline_name},
  };
  const char *reason = cdynamic_load("libedit.so.2", symbols, sizeof symbols / sizeof *symbols);
  if (reason) return reason;
  is_loaded = 1;
  setlocale(LC_CTYPE, "");
  *edit.readline_name = "blectl";
  *edit.basic_word_break_characters = " \t\n";
  *edit.attempted_completion_function = complete;
  edit.using_history();
  edit.stifle_history(HISTORY_LIMIT);
  return NULL;
}

static void received(char *line) {
  line_handler(line);
  free(line);
}

void cline_begin(const char *prompt, void (*handler)(const char *)) {
  line_handler = handler;
  edit.callback_handler_install(prompt, received);
}
void cline_read(void) { edit.callback_read_char(); }
void cline_end(void) { edit.callback_handler_remove(); }
void cline_set_prompt(const char *prompt) { edit.set_prompt(prompt); }
void cline_draw(void) { edit.forced_update_display(); }
void cline_resize(void) { edit.resize_terminal(); }
const char *cline_line(void) { return *edit.line_buffer ? *edit.line_buffer : ""; }
int cline_point(void) { return *edit.point; }

void cline_set_completion(void (*begin)(const char *, int), const char *(*candidate)(int)) {
  completion_begin = begin;
  completion_candidate = candidate;
}

void cline_add_history(const char *line) { edit.add_history(line); }
void cline_clear_history(void) { edit.clear_history(); }
int cline_read_history(const char *path) { return edit.read_history(path); }
int cline_write_history(const char *path) { return edit.write_history(path); }
