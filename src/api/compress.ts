import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const zip = promisify(gzip);

/** Smaller replies fit into one packet. */
const minLetters = 1_024;

/** `gzip;q=0` refuses it (RFC 9110, section 12.5.3). */
const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/**
 * Compresses JSON replies for callers that accept gzip: a list is a tenth of its size. The token is in a header that no
 * other site can send, so the size of a reply reveals nothing to one.
 */
export function compressReplies(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minLetters) return payload;
    const type = String(reply.getHeader('content-type') ?? '');
    if (!type.startsWith('application/json') || reply.hasHeader('content-encoding')) return payload;
    void reply.header('vary', 'accept-encoding');
    if (!acceptsGzip.test(request.headers['accept-encoding'] ?? '')) return payload;
    const bytes = await zip(payload, { level: constants.Z_BEST_SPEED });
    void reply.removeHeader('content-length').header('content-encoding', 'gzip');
    return bytes;
  });
}
