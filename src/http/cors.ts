import { handleCors, type Middleware } from 'h3';
import { declaredHeadersOf, headerOf } from '../contract/header-fields.ts';
import type { Contract } from '../contract/operation.ts';

/** How long browsers may keep the answer to a preflight. The limit of Chromium itself is 2 hours. */
const PREFLIGHT_SECONDS = '7200';

/**
 * Lets pages of these origins call the API. Tokens travel in a header, so browser credentials (cookies) are never allowed. An origin that
 * isn't listed gets no CORS header at all.
 *
 * @param origins exactly as browsers send them, never `*`
 * @param services the pages may send the headers of these services' operations
 */
export function cors(origins: readonly string[], services: readonly { readonly contract: Contract }[]): Middleware {
  let allowed: string[] | undefined;
  const options = {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // Computed when the first browser asks. The headers of hundreds of operations would delay the start of the server.
    get allowHeaders(): string[] {
      return (allowed ??= ['authorization', 'content-type', ...headersOf(services)]);
    },
    exposeHeaders: [
      'accept-ranges',
      'authorization',
      'content-digest',
      'content-disposition',
      'content-range',
      'etag',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'repr-digest',
      'retry-after',
      'x-access-receipt',
      'x-request-id',
      'x-share-grant',
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

function headersOf(services: readonly { readonly contract: Contract }[]): string[] {
  const fields = services
    .flatMap(({ contract }) => Object.values(contract))
    .flatMap((op) => Object.values(declaredHeadersOf(op)));
  return [...new Set(fields.flatMap((schema) => headerOf(schema)?.toLowerCase() ?? []))].sort();
}
