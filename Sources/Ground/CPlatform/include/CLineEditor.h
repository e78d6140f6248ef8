// SPDX-License-Identifier: MIT
#pragma once

// The line editor of libedit, through its interface for event loops. The library is loaded at its first use, because
// only the shell needs it. All functions belong to one thread.

/// Loads the library once; returns NULL, or the reason why it cannot be loaded.
const char *cline_load(void);

/// Shows the prompt and switches the terminal to editing; the handler receives the line, or NULL at the end of input.
void cline_begin(const char *prompt, void (*handler)(const char *line));
/// Reads the typed characters.
void cline_read(void);
/// Switches the terminal back and drops the line so far.
void cline_end(void);
/// Takes effect when the line is next drawn.
void cline_set_prompt(const char *prompt);
/// Draws prompt and line at the cursor.
void cline_draw(void);
/// Handles a new size of the terminal.
void cline_resize(void);
/// The line, and the position of the cursor in its bytes.
const char *cline_line(void);
int cline_point(void);

/// Sets the candidates for Tab: `begin` receives the line and the start of its last word, `candidate` returns one
/// candidate after the other, then NULL.
void cline_set_completion(void (*begin)(const char *line, int start), const char *(*candidate)(int index));

void cline_add_history(const char *line);
/// Forgets all lines.
void cline_clear_history(void);
/// Both return 0, or an error number.
int cline_read_history(const char *path);
int cline_write_history(const char *path);
