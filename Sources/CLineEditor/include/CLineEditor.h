// SPDX-License-Identifier: MIT
#pragma once

// The line editor of libedit, by its interface for event loops. The library is loaded at the first use: only the shell needs
// it. All functions belong to one thread.

/// Loads the library; once is enough, further calls do nothing.
/// Returns NULL, or why it cannot be loaded.
const char *cline_load(void);

/// Shows the prompt and switches the terminal to editing; the handler gets the line, or NULL at the end of input.
void cline_begin(const char *prompt, void (*handler)(const char *line));
/// Reads what was typed.
void cline_read(void);
/// Switches the terminal back; the line so far is dropped.
void cline_end(void);
/// Takes effect when the line is drawn again.
void cline_set_prompt(const char *prompt);
/// Draws prompt and line at the cursor.
void cline_draw(void);
/// The terminal has another size.
void cline_resize(void);
/// The text before the cursor, in bytes of the line.
const char *cline_line(void);
int cline_point(void);

/// Sets what Tab offers: `begin` gets the line and where its last word starts, `candidate` returns one candidate after the
/// other, then NULL.
void cline_set_completion(void (*begin)(const char *line, int start), const char *(*candidate)(int index));

void cline_add_history(const char *line);
/// Both return 0, or an error number.
int cline_read_history(const char *path);
int cline_write_history(const char *path);
