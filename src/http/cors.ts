import { handleCors, type Middleware } from 'h3';

/** How long browsers may keep the answer to a preflight; Chromium's own most is 2 hours. */
const PREFLIGHT_SECONDS = '7200';

/**
 * Lets pages of these origins call the API. Tokens travel in a header, so credentials of the browser (cookies) are never allowed,
 * and an origin that isn't listed gets no header at all.
 *
 * @param origins exactly as browsers send them, never `*`
 */
export function cors(origins: readonly string[]): Middleware {
  const options = {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      'authorization',
      'content-digest',
      'content-type',
      'idempotency-key',
      'if-match',
      'if-range',
      'range',
      'x-device',
      'x-vault-unlock',
    ],
    exposeHeaders: [
      'accept-ranges',
      'authorization',
      'content-digest',
      'content-range',
      'etag',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'repr-digest',
      'retry-after',
      'x-request-id',
    ],
    maxAge: PREFLIGHT_SECONDS,
    credentials: false,
    preflight: { statusCode: 204 },
  };
  return (event, next) => {
    const answered = handleCors(event, options);
    return answered === false ? next() : answered;
  };
}
