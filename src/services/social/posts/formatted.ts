import { escapedMarkup } from '../../../base/escaped-markup.ts';
import { hashtagKey, type Entity } from './entities.ts';
import { parsedUrl } from '../../../base/parsed-url.ts';

/**
 * Escaped HTML in which nothing but the links and line breaks made here is markup. Embeddings, overrides and isolates of writing direction are
 * left out, because an unclosed one would turn the text around it. The marks of direction (U+200E, U+200F, U+061C) act on nothing around them
 * and stay.
 * @param known the id of the member with this name, if there is one; other names stay plain text
 */
export function formatted(
  content: string,
  entities: readonly Entity[],
  known: (username: string) => string | undefined,
): string {
  let html = '';
  let at = 0;
  for (const entity of entities) {
    html += plain(content.slice(at, entity.start)) + linked(content.slice(entity.start, entity.end), entity, known);
    at = entity.end;
  }
  return html + plain(content.slice(at));
}

function linked(written: string, entity: Entity, known: (username: string) => string | undefined): string {
  if (entity.kind === 'hashtag') {
    return `<a href="/social/hashtag/${inPath(hashtagKey(entity.text))}">${plain(written)}</a>`;
  }
  if (entity.kind === 'mention') {
    const memberId = known(entity.text);
    return memberId === undefined
      ? plain(written)
      : `<a href="/social/users/${inPath(memberId)}">${plain(written)}</a>`;
  }
  const address = addressOf(entity.text);
  if (!address) return plain(written);
  return `<a href="${escapedMarkup(address)}" rel="nofollow noopener noreferrer ugc">${plain(written)}</a>`;
}

/** The address in the form of the URL standard. Its host is in ASCII, so letters that look like others can be told apart there. */
function addressOf(text: string): string | undefined {
  const written = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  const url = parsedUrl(written);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

function plain(text: string): string {
  return escapedMarkup(text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')).replaceAll(
    /\r\n|[\n\r\u2028\u2029]/g,
    '<br>',
  );
}

function inPath(text: string): string {
  return escapedMarkup(encodeURIComponent(text));
}
