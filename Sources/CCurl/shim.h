#ifndef SATCHEL_CCURL_SHIM_H
#define SATCHEL_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <sys/select.h>

/* Variadic functions, such as curl_easy_setopt, are not imported: a door for each kind of value. */

static inline int satchel_curl_begin(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }

static inline CURLcode satchel_curl_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode satchel_curl_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode satchel_curl_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode satchel_curl_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

/* What comes in and what goes out; `context` is passed to all three. */
static inline void satchel_curl_callbacks(CURL *handle, curl_write_callback body,
                                          curl_write_callback header, curl_read_callback source,
                                          void *context) {
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, source);
    curl_easy_setopt(handle, CURLOPT_READDATA, context);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, context);
}

static inline CURLMcode satchel_curl_multi_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline long satchel_curl_info(CURL *handle, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

/* The sockets of a multi that are waited on, at most `room` of them; how many there are. */
static inline int satchel_curl_sockets(CURLM *multi, int *sockets, int room) {
    fd_set reading, writing, failing;
    int highest = -1, count = 0;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_ZERO(&failing);
    if (curl_multi_fdset(multi, &reading, &writing, &failing, &highest) != CURLM_OK) return 0;
    for (int socket = 0; socket <= highest && count < room; socket++)
        if (FD_ISSET(socket, &reading) || FD_ISSET(socket, &writing)) sockets[count++] = socket;
    return count;
}

/* The next transfer that has ended: its handle's context and how it ended; null when there is none. */
static inline void *satchel_curl_ended(CURLM *multi, CURLcode *code) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        char *context = 0;
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &context);
        return context;
    }
    return 0;
}

#endif
