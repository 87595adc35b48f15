import type { Implementation } from '../../service/implement.ts';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FastResponse } from 'srvx';
import type { sharePage } from '../../contract/share-page.ts';
import { builtFolder } from '../../base/built-folder.ts';
import { oneFile } from '../../base/one-file.ts';

/** Scripts and styles of this server alone, no frames around it, and nothing sent anywhere. A worker has the policy that comes with its script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

interface Asset {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' } as const;

const names = ['page.html', 'page.js', 'worker.js', 'page.css'] as const;
type Name = (typeof names)[number];

let kept: Promise<Readonly<Record<Name, Asset>>> | undefined;

/** The page of share links and what belongs to it, as the build made them. A server reads them when it starts, since a build may replace them. */
export async function readSharePage(): Promise<Readonly<Record<Name, Asset>>> {
  kept ??= readAssets();
  // What failed once may work the next time.
  kept.catch(() => (kept = undefined));
  return await kept;
}

export function sharePageServices(): Implementation<typeof sharePage> {
  const answer = async (name: Name, request: Request): Promise<Response> =>
    respond(request, (await readSharePage())[name]);
  return {
    show: async (_ctx, _guest, _input, _upload, request) => await answer('page.html', request),
    script: async (_ctx, _guest, _input, _upload, request) => await answer('page.js', request),
    worker: async (_ctx, _guest, _input, _upload, request) => await answer('worker.js', request),
    style: async (_ctx, _guest, _input, _upload, request) => await answer('page.css', request),
  };
}

async function readAssets(): Promise<Readonly<Record<Name, Asset>>> {
  const texts = await readTexts();
  const assets = names.map((name) => [name, assetOf(name, texts[name])] as const);
  return Object.fromEntries(assets) as Record<Name, Asset>;
}

function assetOf(name: Name, text: string | undefined): Asset {
  if (text === undefined) throw new Error(`the page of share links has no ${name}`);
  const type = types[name.split('.').at(-1) as keyof typeof types];
  const common = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': contentSecurityPolicy };
  // The address of the page is the link, and stays in no cache.
  if (type === types.html) return { text, headers: { ...common, 'cache-control': 'no-store' } };
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  return { text, headers: { ...common, 'cache-control': 'no-cache', etag } };
}

/** All at once, so that they are of one build. */
async function readTexts(): Promise<Readonly<Record<string, string>>> {
  const file = oneFile();
  const folder = builtFolder();
  if (file === undefined && folder === undefined) return await fromSources();
  const read = async (name: string) =>
    file?.readText(`dist/share-page/${name}`) ?? (await readFile(join(folder ?? '', 'share-page', name), 'utf8'));
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await read(name)] as const)));
}

function respond(request: Request, { text, headers }: Asset): Response {
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  const { etag } = headers;
  if (etag !== undefined && known.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new FastResponse(null, { status: 304, headers });
  return new FastResponse(text, { headers });
}

/** The program has no bundler; who works on its sources has. So the script is named only when it runs. */
async function fromSources(): Promise<Readonly<Record<string, string>>> {
  const script = new URL('../../../scripts/bundle.mjs', import.meta.url).href;
  const { bundleSharePage } = (await import(/* @vite-ignore */ script)) as {
    readonly bundleSharePage: () => Promise<Record<string, string>>;
  };
  return await bundleSharePage();
}
