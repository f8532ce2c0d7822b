#ifndef SATCHEL_CWEBSOCKETS_SHIM_H
#define SATCHEL_CWEBSOCKETS_SHIM_H

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>

/*
 * A context for clients and the table it refers to as long as it lives. Options are macros and sums of
 * enum values, so everything that is set once is set here.
 */
struct satchel_ws {
    struct lws_protocols protocols[2];
    struct lws_context *context;
};

/*
 * Makes a context; null when it cannot be. `ca_file` takes the place of the system's certificates, an
 * empty `proxy` is none.
 */
static inline struct satchel_ws *satchel_ws_make(lws_callback_function *callback, const char *ca_file,
                                                 const char *proxy, unsigned connect_seconds) {
    struct satchel_ws *made = (struct satchel_ws *)calloc(1, sizeof *made);
    if (!made) return NULL;
    lws_set_log_level(0, NULL);
    made->protocols[0].name = "satchel";
    made->protocols[0].callback = callback;
    made->protocols[0].rx_buffer_size = 65536;
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = made->protocols;
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    /* Without an address the library would take one from the environment, for this machine as well. */
    info.http_proxy_address = proxy;
    if (ca_file) {
        info.client_ssl_ca_filepath = ca_file;
        info.options |= LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    }
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.fd_limit_per_thread = 64;
    info.connect_timeout_secs = connect_seconds;
    info.timeout_secs = connect_seconds;
    /* Tokens in a header or in the address may be long. */
    info.pt_serv_buf_size = 65535;
    info.max_http_header_data = 65000;
    info.ka_time = 60;
    info.ka_probes = 4;
    info.ka_interval = 10;
    made->context = lws_create_context(&info);
    if (made->context) return made;
    free(made);
    return NULL;
}

static inline void satchel_ws_free(struct satchel_ws *made) {
    lws_context_destroy(made->context);
    free(made);
}

/*
 * Begins to connect; `line` is passed to the callback, which may be called before this returns, and
 * null is returned when it failed at once.
 */
static inline struct lws *satchel_ws_connect(struct satchel_ws *made, const char *address, int port, int secure,
                                             const char *path, const char *host, const char *protocols,
                                             void *line) {
    struct lws_client_connect_info info;
    memset(&info, 0, sizeof info);
    info.context = made->context;
    info.address = address;
    info.port = port;
    /* A redirect would take the credentials elsewhere. */
    info.ssl_connection = (secure ? LCCSCF_USE_SSL : 0) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT;
    info.path = path;
    info.host = host;
    info.protocol = protocols;
    info.local_protocol_name = "satchel";
    info.alpn = "http/1.1";
    info.userdata = line;
    return lws_client_connect_via_info(&info);
}

/* Adds a header to the handshake, with the two last arguments of the callback; 0 when there was room. */
static inline int satchel_ws_header(struct lws *wsi, const char *name, const char *value, void *in, size_t count) {
    unsigned char **place = (unsigned char **)in;
    unsigned char *end = *place + count;
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), place, end);
}

/* The subprotocol the server chose; the count of its bytes, 0 when there is none. */
static inline int satchel_ws_chosen(struct lws *wsi, char *place, int room) {
    int count = lws_hdr_copy(wsi, place, room, WSI_TOKEN_PROTOCOL);
    return count > 0 ? count : 0;
}

/* `text` has LWS_PRE bytes of room before it. */
static inline int satchel_ws_write(struct lws *wsi, unsigned char *text, size_t count) {
    return lws_write(wsi, text, count, LWS_WRITE_TEXT);
}

static inline size_t satchel_ws_room(void) { return LWS_PRE; }

/* Ends a connection from outside of its callback. */
static inline void satchel_ws_kill(struct lws *wsi) {
    lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
}

#endif
