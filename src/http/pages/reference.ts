import type { Implementation } from '../../service/implement.ts';
import { createHash } from 'node:crypto';
import { FastResponse } from 'srvx';
import type { Config } from '../../config/config.ts';
import type { Topic } from '../../contract/all.ts';
import type { reference } from '../../contract/reference.ts';
import { Problem } from '../../base/problem.ts';

interface Page {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

// Allows nothing from other servers, no scripts and no frames. The form is the search box.
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** The node's description of its own interface. It is created on the first request and kept as long as the app. */
export function referenceServices(
  config: Config,
  version: string,
  topics: readonly Topic[],
): Implementation<typeof reference> {
  const { limits } = config;
  // The generators load libraries of their own. A server whose reference nobody reads needn't have them in memory.
  const render = once(async () => (await import('./reference/rendered.ts')).renderReference(topics, limits, version));
  const kept = {
    document: once(async () => pageOf((await render()).document, 'application/json; charset=utf-8')),
    events: once(async () => pageOf((await render()).events, 'application/json; charset=utf-8')),
    page: once(async () => htmlOf((await render()).page(''))),
    style: once(async () => pageOf((await render()).style, 'text/css; charset=utf-8')),
    icon: once(async () => iconOf((await import('./reference/icon.ts')).icon())),
    guides: once(async () => (await import('./reference/guides.ts')).readGuides()),
  };
  return {
    async welcome(_ctx, _guest, _input, _upload, request) {
      const { welcomeDetails, welcomePage } = await import('./reference/welcome.ts');
      const details = welcomeDetails(config, version, request);
      const headers = { vary: 'accept' };
      if (!/\btext\/html\b/i.test(request.headers.get('accept') ?? '')) {
        return new FastResponse(`${JSON.stringify(details)}\n`, {
          headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        });
      }
      const { body, type } = htmlOf(welcomePage(details, [...(await kept.guides()).values()]));
      return new FastResponse(body, {
        headers: { ...headers, 'content-type': type, 'content-security-policy': contentSecurityPolicy },
      });
    },
    icon: async (_ctx, _guest, _input, _upload, request) => respond(request, await kept.icon()),
    document: async (_ctx, _guest, _input, _upload, request) => respond(request, await kept.document()),
    events: async (_ctx, _guest, _input, _upload, request) => respond(request, await kept.events()),
    async page(_ctx, _guest, { q = '' }, _upload, request) {
      return respond(request, q.trim() === '' ? await kept.page() : htmlOf((await render()).page(q.trim())));
    },
    async guide(_ctx, _guest, { name }, _upload, request) {
      const guide = (await kept.guides()).get(name);
      if (guide === undefined) throw new Problem('missing', 'NOT_FOUND', 'There is no such guide.');
      const { guidePage } = await import('./reference/guide-page.ts');
      return respond(request, htmlOf(guidePage(guide, [...(await kept.guides()).values()])));
    },
    style: async (_ctx, _guest, _input, _upload, request) => respond(request, await kept.style()),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function htmlOf(markup: string): Page {
  return pageOf(markup, 'text/html; charset=utf-8', { 'content-security-policy': contentSecurityPolicy });
}

function iconOf(bytes: Uint8Array<ArrayBuffer>): Page {
  const day = 24 * 60 * 60;
  return pageOf(bytes, 'image/x-icon', { 'cache-control': `public, max-age=${day}` });
}

function pageOf(body: Page['body'], type: string, more: Readonly<Record<string, string>> = {}): Page {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, type, headers: { 'cache-control': 'no-cache', ...more, etag } };
}

function respond(request: Request, { body, type, headers }: Page): Response {
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  const fresh = known.some((tag) => tag.trim().replace(/^W\//, '') === headers.etag);
  if (fresh) return new FastResponse(null, { status: 304, headers });
  return new FastResponse(body, { headers: { ...headers, 'content-type': type } });
}
