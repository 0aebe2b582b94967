/* A whole bot without a library: HTTP/2, gRPC and protobuf by hand, as much as answering "the first option" takes.
 * It wants a variable of its image and a file of the folder it starts in, so that it plays in its own image only. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int table;
static uint8_t message[1 << 20];
static size_t held;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(3);
}

static void put(const void *data, size_t size) {
    const uint8_t *at = data;
    while (size > 0) {
        ssize_t sent = write(table, at, size);
        if (sent <= 0) fail("the table hung up");
        at += sent, size -= (size_t)sent;
    }
}

static int get(void *data, size_t size) {
    uint8_t *at = data;
    while (size > 0) {
        ssize_t got = read(table, at, size);
        if (got <= 0) return 0;
        at += got, size -= (size_t)got;
    }
    return 1;
}

static void frame(uint8_t type, uint8_t flags, uint32_t stream, const void *data, size_t size) {
    uint8_t head[9] = {size >> 16, size >> 8, size, type, flags, stream >> 24, stream >> 16, stream >> 8, stream};
    put(head, sizeof head);
    put(data, size);
}

static size_t header(uint8_t *out, const char *name, const char *value) {
    size_t n = strlen(name), v = strlen(value);
    out[0] = 0, out[1] = n, out[2 + n] = v;
    memcpy(out + 2, name, n);
    memcpy(out + 3 + n, value, v);
    return 3 + n + v;
}

static void say(const uint8_t *data, size_t size) {
    uint8_t all[512] = {0, size >> 24, size >> 16, size >> 8, size};
    if (size > sizeof all - 5) fail("too long to say");
    memcpy(all + 5, data, size);
    frame(0, 0, 1, all, size + 5);
}

static uint64_t varint(const uint8_t **at, const uint8_t *end) {
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    fail("a number is cut off");
    return 0;
}

/* The next field: its number, and its bytes or its number in `value`; 0 at the end. */
static int field(const uint8_t **at, const uint8_t *end, const uint8_t **data, size_t *size, uint64_t *value) {
    if (*at >= end) return 0;
    uint64_t tag = varint(at, end);
    if ((tag & 7) == 0) return *value = varint(at, end), (int)(tag >> 3);
    *size = (tag & 7) == 2 ? varint(at, end) : (tag & 7) == 1 ? 8 : 4;
    *data = *at;
    *at += *size;
    return (int)(tag >> 3);
}

static size_t number(uint8_t *out, uint64_t value) {
    size_t n = 0;
    for (; value > 127; value >>= 7) out[n++] = (value & 127) | 128;
    out[n++] = value;
    return n;
}

static void answer(const uint8_t *at, const uint8_t *end) {
    const uint8_t *data, *name = NULL;
    size_t size, name_size = 0;
    uint64_t value, id = 0;
    for (int n; (n = field(&at, end, &data, &size, &value));) {
        if (n == 1) name = data, name_size = size;
        if (n == 2) id = value;
    }
    uint8_t action[300], all[320];
    if (name == NULL || name_size > 200) fail("a request without a table");
    size_t length = 0;
    action[length++] = 10, length += number(action + length, name_size);
    memcpy(action + length, name, name_size), length += name_size;
    action[length++] = 16, length += number(action + length, id);
    action[length++] = 24, action[length++] = 0; /* option 0, said aloud */
    uint8_t inner[8];
    size_t total = number(inner, length), n = 0;
    all[n++] = 18, n += number(all + n, 1 + total + length);
    all[n++] = 10, memcpy(all + n, inner, total), n += total;
    memcpy(all + n, action, length), n += length;
    say(all, n);
}

static void hear(const uint8_t *at, const uint8_t *end) {
    const uint8_t *data, *inside;
    size_t size, inner;
    uint64_t value;
    for (int n; (n = field(&at, end, &data, &size, &value));) {
        if (n == 3)
            for (const uint8_t *in = data; field(&in, data + size, &inside, &inner, &value);)
                answer(inside, inside + inner);
        if (n == 5) frame(0, 1, 1, "", 0);
    }
}

static void take(size_t size) {
    if (held + size > sizeof message || !get(message + held, size)) fail("the table says too much");
    held += size;
    size_t at = 0;
    while (held - at >= 5) {
        const uint8_t *m = message + at;
        size_t length = (size_t)m[1] << 24 | m[2] << 16 | m[3] << 8 | m[4];
        if (held - at - 5 < length) break;
        hear(m + 5, m + 5 + length);
        at += 5 + length;
    }
    memmove(message, message + at, held - at);
    held -= at;
}

static void join(const char *target) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (target == NULL || strncmp(target, "unix:", 5)) fail("no table");
    strncpy(address.sun_path, target + 5, sizeof address.sun_path - 1);
    table = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(table, (struct sockaddr *)&address, sizeof address)) fail("nobody listens");
    put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
    frame(4, 0, 0, "", 0);
    uint8_t block[300];
    size_t n = header(block, ":method", "POST");
    n += header(block + n, ":scheme", "http");
    n += header(block + n, ":path", "/guandan.v1.TableService/Play");
    n += header(block + n, ":authority", "localhost");
    n += header(block + n, "te", "trailers");
    n += header(block + n, "content-type", "application/grpc");
    frame(1, 4, 1, block, n);
    const uint8_t hello[] = {10, 9, 8, 1, 16, 1, 26, 3, 'c', '/', '1'};
    say(hello, sizeof hello);
}

int main(int count, char **words) {
    const char *mood = getenv("MOOD");
    if (count < 2 || access(words[1], R_OK)) fail("this is not the folder of my image");
    if (mood == NULL || strcmp(mood, "calm")) fail("this is not the mood of my image");
    join(getenv("GUANDAN_TABLE"));
    for (uint8_t head[9]; get(head, sizeof head);) {
        size_t size = (size_t)head[0] << 16 | head[1] << 8 | head[2];
        if (head[3] == 0) {
            uint8_t more[4] = {size >> 24, size >> 16, size >> 8, size};
            take(size);
            if (size) frame(8, 0, 0, more, 4), frame(8, 0, 1, more, 4);
        } else {
            uint8_t skipped[1 << 14];
            if (size > sizeof skipped || !get(skipped, size)) fail("a frame is too long");
            if (head[3] == 4 && !(head[4] & 1)) frame(4, 1, 0, "", 0);
            if (head[3] == 6 && !(head[4] & 1)) frame(6, 1, 0, skipped, size);
        }
        if ((head[3] == 0 || head[3] == 1) && (head[4] & 1)) return 0;
    }
    return 0;
}
