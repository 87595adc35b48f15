import { createHash } from 'node:crypto';
import { FastResponse } from 'srvx';
import type { Config } from '../config/config.ts';
import type { reference } from '../contract/reference.ts';
import type { Implementation } from './implementation.ts';
import type { Rendered } from './reference/rendered.ts';

interface Page {
  readonly body: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

// Nothing from elsewhere, no script, nobody's frame. The icon is an empty data: address, so that browsers ask for none.
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The node's description of its interface, made when it is first asked for and kept as long as the app. */
export function referenceServices(limits: Config['limits'], version: string): Implementation<typeof reference> {
  let made: Promise<Record<keyof Rendered, Page>> | undefined;
  const answer = async (request: Request, name: keyof Rendered) => {
    // The generator loads a library of its own, which a server that nobody asks needn't have in memory.
    made ??= import('./reference/rendered.ts').then(({ renderReference }) => pagesOf(renderReference(limits, version)));
    return respond(request, (await made)[name]);
  };
  return {
    document: (_ctx, _guest, _input, request) => answer(request, 'document'),
    page: (_ctx, _guest, _input, request) => answer(request, 'page'),
    style: (_ctx, _guest, _input, request) => answer(request, 'style'),
  };
}

function pagesOf(rendered: Rendered): Record<keyof Rendered, Page> {
  return {
    document: pageOf(rendered.document, 'application/json; charset=utf-8'),
    page: pageOf(rendered.page, 'text/html; charset=utf-8', { 'content-security-policy': contentSecurityPolicy }),
    style: pageOf(rendered.style, 'text/css; charset=utf-8'),
  };
}

function pageOf(body: string, type: string, more: Readonly<Record<string, string>> = {}): Page {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, type, headers: { ...more, etag, 'cache-control': 'no-cache' } };
}

function respond(request: Request, { body, type, headers }: Page): Response {
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  const fresh = known.some((tag) => tag.trim().replace(/^W\//, '') === headers.etag);
  if (fresh) return new FastResponse(null, { status: 304, headers });
  return new FastResponse(body, { headers: { ...headers, 'content-type': type } });
}
