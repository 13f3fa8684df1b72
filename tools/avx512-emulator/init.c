/* SPDX-License-Identifier: Apache-2.0 */
/* init: the first and only process of the emulated machine. Runs the program named in /command (NUL-separated
 * arguments; environment in /environment), copies its output to the emulator's port 0xE9, which is the emulator's
 * standard output, reports how it ended in a line "@@exit STATUS" and switches the machine off. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_PORT = 0xe9, SHUTDOWN_PORT = 0x8900, FILE_CAPACITY = 1 << 16, MAX_STRINGS = 4096 };

static void emit(const char *text, size_t length) { outsb(OUTPUT_PORT, text, length); }

static void say(const char *text) { emit(text, strlen(text)); }

static void power_off(void) {
    for (const char *letter = "Shutdown"; *letter; letter++) outb((unsigned char)*letter, SHUTDOWN_PORT);
    reboot(RB_POWER_OFF);
    for (;;) pause();
}

static void fail(const char *what) {
    char message[256];
    snprintf(message, sizeof message, "@@init %s: %s\n", what, strerror(errno));
    say(message);
    power_off();
}

static void mount_at(const char *path, const char *type) {
    mkdir(path, 0755);
    if (mount(type, path, type, 0, NULL)) fail(path);
}

/* The NUL-separated strings of a file as a null-terminated array; both live until the machine is switched off. */
static char **read_strings(const char *path) {
    char *text = calloc(FILE_CAPACITY, 1);
    char **strings = calloc(MAX_STRINGS, sizeof *strings);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (!text || !strings || file < 0) fail(path);
    const ssize_t length = read(file, text, FILE_CAPACITY - 1);
    if (length < 0 || length == FILE_CAPACITY - 1) fail(path);
    size_t count = 0;
    for (char *at = text; at < text + length && count < MAX_STRINGS - 1; at += strlen(at) + 1) strings[count++] = at;
    return strings;
}

static pid_t start(char **command, char **environment, int output) {
    const pid_t child = fork();
    if (child != 0) return child;
    iopl(0);
    setsid();
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execve(command[0], command, environment);
    dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
    _exit(127);
}

/* Ends with a newline, so that the report that follows is a line of its own. */
static void copy_output(int from) {
    static char buffer[1 << 16];
    char last = '\n';
    for (ssize_t length; (length = read(from, buffer, sizeof buffer)) > 0; last = buffer[length - 1])
        emit(buffer, (size_t)length);
    if (last != '\n') say("\n");
}

static void report(pid_t child) {
    int status = 0;
    char message[64];
    if (waitpid(child, &status, 0) != child) fail("waitpid");
    snprintf(message, sizeof message, "@@exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    say(message);
}

int main(void) {
    int ends[2];
    if (iopl(3)) return 1;
    mount_at("/proc", "proc");
    mount_at("/sys", "sysfs");
    mount_at("/dev", "devtmpfs");
    mount_at("/dev/shm", "tmpfs");
    if (pipe2(ends, O_CLOEXEC)) fail("pipe2");
    char **command = read_strings("/command"), **environment = read_strings("/environment");
    say("@@run\n");
    const pid_t child = start(command, environment, ends[1]);
    if (child < 0) fail("fork");
    close(ends[1]);
    copy_output(ends[0]);
    report(child);
    power_off();
}
