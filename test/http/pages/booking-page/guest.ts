import type { House } from '../../../support/house.ts';

/** An answer as a browser without scripts has it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** where a redirect leads */
  readonly to: string | null;
}

/** Somebody without an account and without scripts: follows links and fills in forms. */
export interface PageGuest {
  open(path: string): Promise<Seen>;
  send(path: string, fields: Readonly<Record<string, string>>): Promise<Seen>;
}

export function pageGuest({ fetch }: Pick<House, 'fetch'>): PageGuest {
  const origin = 'http://localhost';
  const headers = { accept: 'text/html,application/xhtml+xml' };
  const seen = async (request: Request): Promise<Seen> => {
    const answer = await fetch(request);
    const to = answer.headers.get('location');
    return { status: answer.status, headers: answer.headers, text: await answer.text(), to };
  };
  return {
    open: async (path) => await seen(new Request(`${origin}${path}`, { headers })),
    send: async (path, fields) =>
      await seen(new Request(`${origin}${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) })),
  };
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const plain = (text: string): string => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) => entities[one] ?? one);

/** The links of a page whose address contains a text. */
export function linksOf({ text }: Seen, part: string): string[] {
  return Array.from(text.matchAll(/<a [^>]*href="([^"]*)"/g), ([, href = '']) => plain(href)).filter((href) =>
    href.includes(part),
  );
}

/** What a form would send if nothing were filled in. */
export function hiddenOf({ text }: Seen): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, plain(value)]));
}
