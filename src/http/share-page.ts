import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FastResponse } from 'srvx';
import type { sharePage } from '../contract/share-page.ts';
import { oneFile } from '../one-file.ts';
import type { Implementation } from '../service-parts.ts';

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

/** The page of share links and what belongs to it, as the build made them. They are read when somebody first asks. */
export function sharePageServices(): Implementation<typeof sharePage> {
  const kept = new Map<string, Promise<Asset>>();
  const asset = (name: string): Promise<Asset> => {
    const known = kept.get(name) ?? readAsset(name);
    kept.set(name, known);
    // What failed once may work the next time.
    known.catch(() => kept.delete(name));
    return known;
  };
  const answer = async (name: string, request: Request): Promise<Response> => respond(request, await asset(name));
  return {
    show: async (_ctx, _guest, _input, _upload, request) => await answer('page.html', request),
    script: async (_ctx, _guest, _input, _upload, request) => await answer('page.js', request),
    worker: async (_ctx, _guest, _input, _upload, request) => await answer('worker.js', request),
    style: async (_ctx, _guest, _input, _upload, request) => await answer('page.css', request),
  };
}

async function readAsset(name: string): Promise<Asset> {
  const text = await readText(name);
  if (text === undefined) throw new Error(`the page of share links has no ${name}`);
  const type = types[name.split('.').at(-1) as keyof typeof types];
  const common = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': contentSecurityPolicy };
  // The address of the page is the link, and stays in no cache.
  if (type === types.html) return { text, headers: { ...common, 'cache-control': 'no-store' } };
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  return { text, headers: { ...common, 'cache-control': 'no-cache', etag } };
}

async function readText(name: string): Promise<string | undefined> {
  const file = oneFile();
  if (file !== undefined) return file.readText(`dist/share-page/${name}`);
  const folder = builtFolder();
  return folder === undefined ? (await fromSources())[name] : await readFile(join(folder, name), 'utf8');
}

function respond(request: Request, { text, headers }: Asset): Response {
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  const { etag } = headers;
  if (etag !== undefined && known.some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return new FastResponse(null, { status: 304, headers });
  return new FastResponse(text, { headers });
}

/** In a build, the folder is somewhere above this code. Undefined for a server that runs from its sources. */
function builtFolder(): string | undefined {
  if (import.meta.url.endsWith('.ts')) return undefined;
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const pages = join(folder, 'share-page');
    if (existsSync(join(pages, 'page.html'))) return pages;
    const above = dirname(folder);
    if (above === folder) throw new Error('share-page is not in the folder of the program: build it again');
    folder = above;
  }
}

/** The program has no bundler; who works on its sources has. So the script is named only when it runs. */
async function fromSources(): Promise<Readonly<Record<string, string>>> {
  const script = new URL('../../scripts/bundle.mjs', import.meta.url).href;
  const { bundleSharePage } = (await import(/* @vite-ignore */ script)) as {
    readonly bundleSharePage: () => Promise<Record<string, string>>;
  };
  return await bundleSharePage();
}
