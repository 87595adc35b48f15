import { handleCors, type Middleware } from 'h3';
import { headerFieldsOf, headerOf } from '../contract/header-fields.ts';
import type { Contract } from '../contract/operation.ts';

/** How long browsers may keep the answer to a preflight; Chromium's own most is 2 hours. */
const PREFLIGHT_SECONDS = '7200';

/**
 * Lets pages of these origins call the API. Tokens travel in a header, so credentials of the browser (cookies) are never allowed,
 * and an origin that isn't listed gets no header at all.
 *
 * @param origins exactly as browsers send them, never `*`
 * @param services whose operations' headers they may send
 */
export function cors(origins: readonly string[], services: readonly { readonly contract: Contract }[]): Middleware {
  let allowed: string[] | undefined;
  const options = {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // When the first browser asks: a server starts faster than it looks at the headers of hundreds of operations.
    get allowHeaders(): string[] {
      return (allowed ??= ['authorization', 'content-type', ...headersOf(services)]);
    },
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

function headersOf(services: readonly { readonly contract: Contract }[]): string[] {
  const fields = services
    .flatMap(({ contract }) => Object.values(contract))
    .flatMap((op) => Object.values(headerFieldsOf(op)));
  return [...new Set(fields.flatMap((schema) => headerOf(schema)?.toLowerCase() ?? []))].sort();
}
