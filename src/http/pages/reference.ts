import type { Implementation } from '../../service/implement.ts';
import { FastResponse } from 'srvx';
import type { Config } from '../../config/config.ts';
import type { Topic } from '../../contract/all.ts';
import type { reference } from '../../contract/reference.ts';
import { Problem } from '../../base/problem.ts';
import { chooseCoding, encode, type Coding } from '../content-coding.ts';

interface Page {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

/** A page that never changes while the app lives, as it travels in each coding. */
type KeptPage = (coding: Coding) => Promise<Page>;

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
    document: compressed(async () => jsonOf((await render()).document)),
    events: compressed(async () => jsonOf((await render()).events)),
    page: compressed(async () => await htmlOf((await render()).page(''))),
    style: compressed(async () => await pageOf((await render()).style, 'text/css; charset=utf-8')),
    icon: once(async () => await iconOf((await import('./reference/icon.ts')).icon())),
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
      const { body, type } = await htmlOf(welcomePage(details, [...(await kept.guides()).values()]));
      return new FastResponse(body, {
        headers: { ...headers, 'content-type': type, 'content-security-policy': contentSecurityPolicy },
      });
    },
    icon: async (_ctx, _guest, _input, _upload, request) => respond(request, await kept.icon()),
    document: async (_ctx, _guest, _input, _upload, request) => await respondKept(request, kept.document),
    events: async (_ctx, _guest, _input, _upload, request) => await respondKept(request, kept.events),
    async page(_ctx, _guest, { q = '' }, _upload, request) {
      if (q.trim() === '') return await respondKept(request, kept.page);
      return respond(request, await htmlOf((await render()).page(q.trim())));
    },
    async guide(_ctx, _guest, { name }, _upload, request) {
      const guide = (await kept.guides()).get(name);
      if (guide === undefined) throw new Problem('missing', 'NOT_FOUND', 'There is no such guide.');
      const { guidePage } = await import('./reference/guide-page.ts');
      return respond(request, await htmlOf(guidePage(guide, [...(await kept.guides()).values()])));
    },
    style: async (_ctx, _guest, _input, _upload, request) => await respondKept(request, kept.style),
  };
}

/** Makes it when it is first needed, and anew after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** Makes the page once, and each coding of it when a client first asks for that. */
function compressed(make: () => Promise<Page>): KeptPage {
  const plain = once(make);
  const codedAs = (coding: Coding) =>
    once(async () => {
      const { body, type, headers } = await plain();
      const about = { ...headers, vary: 'accept-encoding' };
      if (coding === 'identity') return { body, type, headers: about };
      // A strong tag is of bytes, so each coding has its own.
      return await pageOf(await encode(body, coding), type, { ...about, 'content-encoding': coding });
    });
  const coded = { br: codedAs('br'), gzip: codedAs('gzip'), identity: codedAs('identity') };
  return async (coding) => await coded[coding]();
}

async function htmlOf(markup: string): Promise<Page> {
  return await pageOf(markup, 'text/html; charset=utf-8', { 'content-security-policy': contentSecurityPolicy });
}

async function jsonOf(text: string): Promise<Page> {
  return await pageOf(text, 'application/json; charset=utf-8');
}

async function iconOf(bytes: Uint8Array<ArrayBuffer>): Promise<Page> {
  const day = 24 * 60 * 60;
  return await pageOf(bytes, 'image/x-icon', { 'cache-control': `public, max-age=${day}` });
}

async function pageOf(
  content: string | Uint8Array<ArrayBuffer>,
  type: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  // Web Crypto hashes off the event loop: these are megabytes.
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('base64url');
  return { body, type, headers: { 'cache-control': 'no-cache', ...more, etag: `"${hash}"` } };
}

async function respondKept(request: Request, page: KeptPage): Promise<Response> {
  return respond(request, await page(chooseCoding(request.headers.get('accept-encoding'))));
}

function respond(request: Request, { body, type, headers }: Page): Response {
  const known = (request.headers.get('if-none-match')?.split(',') ?? []).map((tag) => tag.trim());
  const fresh = known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === headers.etag);
  if (fresh) {
    const about = Object.entries(headers).filter(([name]) => name !== 'content-encoding');
    return new FastResponse(null, { status: 304, headers: Object.fromEntries(about) });
  }
  const described = { ...headers, 'content-type': type, 'content-length': String(body.length) };
  return new FastResponse(request.method === 'HEAD' ? null : body, { headers: described });
}
