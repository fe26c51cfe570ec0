// SPDX-License-Identifier: Apache-2.0
/*
 * Answers what needs no Java: help, the version, and questions to a server of Tamanoir. A JVM takes longer to start than all of these.
 *
 *   ask TEXTS RELEASE ARGUMENTS...
 *
 * TEXTS has the help of each command and the version, as the rehearsal has written them; RELEASE is the file "release" of the Java that would
 * run otherwise. What a command prints of an answer is made by the server (Accept: text/plain;view=...), by the same code as in the command,
 * so that nothing of it is here. Whatever is not plain (TLS, an option that is not known here, an error of a server, an old one) is left to
 * Java, which does it again from the start: only what changes nothing is asked. The exit code is 125 then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { NOT_MINE = 125, UNREACHED = 5, PATIENCE_SECONDS = 5, LONGEST_TEXT = 512 };
#define LONGEST_ANSWER (16u << 20) /* as HttpFetch takes */
#define INSTALLED "/var/lib/tamanoir/node/admin.sock"

static void leave(void)
{
	exit(NOT_MINE);
}

/* A question: what a command of two words asks for, and which text is made of it. */
static const struct question {
	const char *group, *name, *path, *view;
	bool takes_name;
} questions[] = {
	{ "node", "status", "/status", "node-status", false },
	{ "node", "services", "/services", "node-services", false },
	{ "node", "streams", "/streams", "node-streams", false },
	{ "node", "links", "/links", "node-links", false },
	{ "node", "routes", "/routes", "node-routes", false },
	{ "node", "rules", "/rules", "node-rules", false },
	{ "node", "pins", "/pins", "node-pins", false },
	{ "node", "access", "/access", "node-access", false },
	{ "node", "events", "/events/since/0", "node-events", false },
	{ "service", "list", "/services", "service", false },
	{ "service", "show", "/services/", "service", true },
};

struct request {
	const char *server, *token, *unreachable;
	char path[LONGEST_TEXT];
	const char *view;
	bool json;
};

/* The whole of a file, or NULL. */
static char *contents(const char *name, size_t *length)
{
	FILE *file = fopen(name, "re");
	if (!file)
		return NULL;
	char *octets = NULL;
	ssize_t read = getdelim(&octets, &(size_t){ 0 }, 0, file);
	fclose(file);
	*length = read < 0 ? 0 : read;
	return read < 0 ? NULL : octets;
}

/* Writes text as Java does: characters that the locale has not are question marks, and so are those that a terminal obeys. */
struct output {
	char *octets;
	size_t length, room;
	bool utf8;
};

static void put(struct output *out, const char *octets, size_t length)
{
	if (out->length + length > out->room) {
		out->room = 2 * (out->length + length);
		out->octets = realloc(out->octets, out->room);
		if (!out->octets)
			leave();
	}
	memcpy(out->octets + out->length, octets, length);
	out->length += length;
}

/* Characters of Unicode's category Cf, and others that PlainText does not let pass. */
static bool is_obeyed(unsigned point)
{
	return (point >= 0x80 && point < 0xa0) || point == 0xad || (point >= 0x600 && point <= 0x605) || point == 0x61c || point == 0x6dd ||
	       point == 0x70f || point == 0x180e || (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0xfeff || (point >= 0xfff9 && point <= 0xfffb) || point >= 0xe0000;
}

/* One character of UTF-8, and how many octets it has; leaves if it is none. */
static size_t put_character(struct output *out, const unsigned char *at, size_t left)
{
	size_t length = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 : *at >= 0xf0 && *at < 0xf5 ? 4 : 0;
	if (!length || length > left)
		leave();
	unsigned point = length == 1 ? *at : *at & (0xff >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			leave();
		point = point << 6 | (at[i] & 0x3f);
	}
	if (length == 1 ? *at >= ' ' && *at != 0x7f : out->utf8 && !is_obeyed(point))
		put(out, (const char *)at, length);
	else
		put(out, "?", 1);
	return length;
}

static void put_text(struct output *out, const char *octets, size_t length)
{
	for (size_t i = 0; i < length;) {
		if (octets[i] == '\n')
			put(out, octets + i++, 1);
		else
			i += put_character(out, (const unsigned char *)octets + i, length - i);
	}
}

static void new_line(struct output *out, int depth)
{
	put(out, "\n", 1);
	while (depth-- > 0)
		put(out, "  ", 2);
}

/* A string with its quotes. The servers escape nothing but quotes, backslashes and control characters. */
static const char *put_string(struct output *out, const char *at, const char *end)
{
	put(out, at++, 1);
	while (at < end && *at != '"') {
		if (*at != '\\') {
			at += put_character(out, (const unsigned char *)at, end - at);
		} else if (at + 1 < end && (at[1] == '"' || at[1] == '\\')) {
			put(out, at, 2);
			at += 2;
		} else if (at + 1 < end && strchr("ntrf", at[1])) {
			put(out, " ", 1);
			at += 2;
		} else {
			leave();
		}
	}
	if (at == end)
		leave();
	put(out, at, 1);
	return at + 1;
}

/* JSON in the form of --json: that of Jackson's pretty printer. */
static void put_json(struct output *out, const char *at, const char *end)
{
	char open[LONGEST_TEXT] = "";
	int depth = 0, objects = 0;
	while (at < end) {
		char c = *at;
		if (c == '{' || c == '[') {
			if (depth == LONGEST_TEXT - 1 || at + 1 == end)
				leave();
			put(out, at++, 1);
			if (*at == '}' || *at == ']') {
				put(out, " ", 1);
				put(out, at++, 1);
				continue;
			}
			open[depth++] = c;
			objects += c == '{';
			c == '{' ? new_line(out, objects) : put(out, " ", 1);
		} else if (c == '}' || c == ']') {
			if (depth == 0)
				leave();
			depth--;
			objects -= c == '}';
			c == '}' ? new_line(out, objects) : put(out, " ", 1);
			put(out, at++, 1);
		} else if (c == ',') {
			put(out, at++, 1);
			depth > 0 && open[depth - 1] == '{' ? new_line(out, objects) : put(out, " ", 1);
		} else if (c == ':') {
			put(out, " : ", 3);
			at++;
		} else if (c == '"') {
			at = put_string(out, at, end);
		} else if (c > ' ' && c < 0x7f) {
			put(out, at++, 1);
		} else {
			leave();
		}
	}
	put(out, "\n", 1);
}

static int finish(struct output *out)
{
	for (size_t sent = 0; sent < out->length;) {
		ssize_t now = write(STDOUT_FILENO, out->octets + sent, out->length - sent);
		if (now <= 0)
			exit(1);
		sent += now;
	}
	return 0;
}

/* Ends as the command does that reaches nobody. */
static void unreached(const struct request *request, const char *base, const char *why)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:/[]";
	if (strspn(base, plain) != strlen(base))
		leave();
	fprintf(stderr, "%s %s cannot be reached: %s\n", request->unreachable, base, why);
	exit(UNREACHED);
}

static int connect_unix(const struct request *request)
{
	const char *path = request->server + 5;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof address.sun_path)
		leave();
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address)) {
		/* Java makes the path absolute, and takes out what does not matter in it. */
		if (*path == '/' && !strstr(path, "//") && !strstr(path, "/.") && (errno == ENOENT || errno == ECONNREFUSED))
			unreached(request, request->server, errno == ENOENT ? "nothing listens there" : "Connection refused");
		leave();
	}
	return fd;
}

/* HOST:PORT, where HOST may be an address of IPv6 in brackets. */
static int connect_tcp(const struct request *request, const char *authority)
{
	char host[LONGEST_TEXT], base[LONGEST_TEXT + 7];
	bool refused = false, failed = false;
	const char *colon = strrchr(authority, ':');
	if (!colon || colon == authority || strlen(authority) >= sizeof host || strspn(colon + 1, "0123456789") != strlen(colon + 1))
		leave();
	strcpy(host, authority);
	host[colon - authority] = 0;
	char *name = host;
	size_t length = strlen(host);
	if (*host == '[' && host[length - 1] == ']') {
		host[length - 1] = 0;
		name++;
	}
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	if (strpbrk(name, "/?#@[]") || getaddrinfo(name, colon + 1, &hints, &found))
		leave();
	int fd = -1;
	struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	for (struct addrinfo *each = found; each && fd < 0; each = each->ai_next) {
		fd = socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
		if (connect(fd, each->ai_addr, each->ai_addrlen)) {
			errno == ECONNREFUSED ? (refused = true) : (failed = true);
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(found);
	if (fd < 0 && refused && !failed) {
		snprintf(base, sizeof base, "http://%s", authority);
		unreached(request, base, "nothing takes connections there");
	}
	if (fd < 0)
		leave();
	return fd;
}

/* Asks, and prints the answer if it is one. */
static int ask(const struct request *request)
{
	char authority[LONGEST_TEXT] = "localhost";
	int fd;
	if (!strncmp(request->server, "unix:", 5)) {
		fd = connect_unix(request);
	} else {
		const char *server = request->server + (strncmp(request->server, "http://", 7) ? 0 : 7);
		size_t length = strlen(server);
		if (length >= sizeof authority)
			leave();
		strcpy(authority, server);
		if (length && authority[length - 1] == '/')
			authority[length - 1] = 0;
		fd = connect_tcp(request, authority);
	}
	struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);

	char *head;
	int length = asprintf(&head, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s%s%s%s%s%s\r\n", request->path, authority,
			      request->token ? "Authorization: Bearer " : "", request->token ? request->token : "", request->token ? "\r\n" : "",
			      request->json ? "" : "Accept: text/plain;view=", request->json ? "" : request->view, request->json ? "" : "\r\n");
	if (length < 0 || send(fd, head, length, MSG_NOSIGNAL) != length)
		leave();

	size_t size = 0, room = 1 << 16;
	char *answer = malloc(room + 1);
	for (ssize_t read = 1; read; size += read) {
		if (size == room)
			answer = room < LONGEST_ANSWER ? realloc(answer, (room *= 2) + 1) : NULL;
		if (!answer || (read = recv(fd, answer + size, room - size, 0)) < 0)
			leave();
	}
	answer[size] = 0;
	char *body = strstr(answer, "\r\n\r\n");
	if (!body || strncmp(answer, "HTTP/1.1 200 ", 13))
		leave();
	*body = 0;
	body += 4;
	const char *announced = strcasestr(answer, "\r\ncontent-length:");
	const char *type = strcasestr(answer, "\r\ncontent-type:");
	size_t here = answer + size - body;
	if (!announced || strtoul(announced + 17, NULL, 10) != here || !type || !strstr(type, request->json ? "application/json" : "text/plain"))
		leave();

	setlocale(LC_CTYPE, "");
	struct output out = { .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8") };
	if (request->json)
		put_json(&out, body, body + here);
	else
		put_text(&out, body, here);
	return finish(&out);
}

/* The first line of a text without blanks around it; nothing is no token. */
static const char *token(char *text)
{
	text[strcspn(text, "\r\n")] = 0;
	text += strspn(text, " \t");
	size_t length = strlen(text);
	while (length && strchr(" \t", text[length - 1]))
		text[--length] = 0;
	if (!length)
		leave();
	return text;
}

/* The admin socket of this user's node, or of the installed one. */
static const char *preset_node(void)
{
	static char text[LONGEST_TEXT + 80];
	const struct passwd *user = getpwuid(getuid());
	if (!user || strlen(user->pw_dir) >= LONGEST_TEXT)
		leave();
	snprintf(text, sizeof text, "unix:%s/.local/share/tamanoir/node-3322/admin.sock", user->pw_dir);
	return !access(text + 5, F_OK) ? text : !access(INSTALLED, F_OK) ? "unix:" INSTALLED : "http://127.0.0.1:3380";
}

/* The value of an option that is written --NAME VALUE or --NAME=VALUE; NULL if it is another one. */
static char *value(char **arguments, int *i, int count, const char *name)
{
	size_t length = strlen(name);
	if (strncmp(arguments[*i], name, length))
		return NULL;
	if (arguments[*i][length] == '=')
		return arguments[*i] + length + 1;
	if (arguments[*i][length] || *i + 1 == count)
		return NULL;
	return arguments[++*i];
}

static int question(const struct question *asked, char **arguments, int count)
{
	bool node = !strcmp(asked->group, "node"), streams = !strcmp(asked->name, "streams");
	struct request request = { .view = asked->view, .unreachable = node ? "EE-204" : "EE-302" };
	const char *operand = NULL;
	bool ended = false;
	char *text;
	for (int i = 0; i < count; i++) {
		if (!request.server && (text = value(arguments, &i, count, node ? "--node" : "--repository"))) {
			request.server = text;
		} else if (node && !request.token && (text = value(arguments, &i, count, "--token"))) {
			request.token = token(text);
		} else if (node && !request.token && (text = value(arguments, &i, count, "--token-file"))) {
			text = contents(text, &(size_t){ 0 });
			request.token = text ? token(text) : (leave(), NULL);
		} else if (!request.json && !strcmp(arguments[i], "--json")) {
			request.json = true;
		} else if (streams && !ended && !strcmp(arguments[i], "--ended")) {
			ended = true;
		} else if ((streams || asked->takes_name) && !operand && *arguments[i] && strlen(arguments[i]) < LONGEST_TEXT / 2 &&
			   strspn(arguments[i], streams ? "0123456789" : "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(arguments[i]) &&
			   *arguments[i] != '-') {
			operand = arguments[i];
		} else {
			leave();
		}
	}
	if (asked->takes_name && !operand)
		leave();
	if (node && !request.token && getenv("TAMANOIR_TOKEN"))
		request.token = token(strdup(getenv("TAMANOIR_TOKEN")));
	if (!request.server)
		request.server = node ? preset_node() : "http://127.0.0.1:3325";
	snprintf(request.path, sizeof request.path, "%s%s%s", asked->path, streams && operand ? "/" : "", operand ? operand : ended ? "?ended" : "");
	if (streams && operand)
		request.view = "node-stream";
	return ask(&request);
}

/* A text of the rehearsal: NAME.txt, or as a terminal shows it NAME.ansi. */
static int print(const char *texts, const char *name)
{
	char path[4 * LONGEST_TEXT];
	/* What picocli asks, too. */
	if (getenv("CLICOLOR") || getenv("CLICOLOR_FORCE"))
		leave();
	bool colours = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	snprintf(path, sizeof path, "%s/%s.%s", texts, name, colours ? "ansi" : "txt");
	size_t length;
	struct output out = { .octets = contents(path, &length) };
	if (!out.octets)
		leave();
	out.length = length;
	return finish(&out);
}

/* The version, if that of Java is still the one that the text names. */
static int version(const char *texts, const char *release)
{
	char path[4 * LONGEST_TEXT];
	size_t length;
	snprintf(path, sizeof path, "%s/version.txt", texts);
	char *text = contents(path, &length), *java = contents(release, &length);
	java = java ? strstr(java, "JAVA_RUNTIME_VERSION=\"") : NULL;
	if (!text || !java)
		leave();
	java += strlen("JAVA_RUNTIME_VERSION=\"");
	java[strcspn(java, "\"")] = 0;
	char *named = strstr(text, ", Java ");
	if (!named || strncmp(named + 7, java, strlen(java)) || named[7 + strlen(java)] != '\n')
		leave();
	return print(texts, "version");
}

int main(int count, char **arguments)
{
	if (count < 3)
		leave();
	const char *texts = arguments[1], *release = arguments[2];
	arguments += 3;
	count -= 3;
	if (count == 0)
		return print(texts, "tamanoir");
	if (count == 1 && (!strcmp(arguments[0], "--version") || !strcmp(arguments[0], "-V")))
		return version(texts, release);
	if (!strcmp(arguments[count - 1], "--help") || !strcmp(arguments[count - 1], "-h")) {
		char name[LONGEST_TEXT] = "tamanoir";
		for (int i = 0; i < count - 1; i++) {
			if (!*arguments[i] || strspn(arguments[i], "abcdefghijklmnopqrstuvwxyz-") != strlen(arguments[i]) ||
			    *arguments[i] == '-' || strlen(name) + strlen(arguments[i]) + 2 > sizeof name)
				leave();
			strcat(strcat(name, "-"), arguments[i]);
		}
		return print(texts, name);
	}
	for (size_t i = 0; i < sizeof questions / sizeof *questions && count >= 2; i++)
		if (!strcmp(questions[i].group, arguments[0]) && !strcmp(questions[i].name, arguments[1]))
			return question(&questions[i], arguments + 2, count - 2);
	return NOT_MINE;
}
