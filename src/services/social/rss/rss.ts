import { escapedMarkup } from '../../../base/escaped-markup.ts';
import type { EmbeddedPost, Post } from '../../../contract/social/post.ts';
import { entitiesOf } from '../posts/entities.ts';
import { formatted } from '../posts/formatted.ts';

export interface Channel {
  readonly title: string;
  readonly description: string;
  /** where the feed itself is */
  readonly self: string;
  readonly link: string;
}

const TITLE = 80;

/** RSS 2.0 with the namespaces of Atom, for the address of the feed, and of Dublin Core, because `author` would be an e-mail address. */
export function rssOf({ title, description, self, link }: Channel, posts: readonly Post[]): string {
  const latest = posts.map(({ updatedAt }) => Date.parse(updatedAt)).reduce((one, other) => Math.max(one, other), 0);
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
${element('title', title)}
${element('link', link)}
${element('description', description)}
<atom:link href="${escaped(self)}" rel="self" type="application/rss+xml"/>
${posts.length === 0 ? '' : `${element('lastBuildDate', new Date(latest).toUTCString())}\n`}${posts.map(itemOf).join('')}</channel>
</rss>
`;
}

function itemOf(post: Post): string {
  const { _id: id } = post;
  const categories = post.hashtags.map((tag) => `${element('category', tag)}\n`).join('');
  return `<item>
${element('title', titleOf(post))}
${element('description', htmlOf(post))}
${element('dc:creator', post.authorDisplayName)}
<guid isPermaLink="false">urn:conclave:post:${escaped(id)}</guid>
${element('pubDate', new Date(post.createdAt).toUTCString())}
${categories}</item>
`;
}

/** A reader shows titles at once, so a post with a warning has the warning there. */
function titleOf({ contentWarning, content }: Post): string {
  const text = (contentWarning === '' ? content : contentWarning).replaceAll(/\s+/g, ' ').trim();
  return text.length <= TITLE ? text : `${text.slice(0, TITLE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Of a post with a warning the content is not shown, because a reader of feeds cannot ask before it shows it. */
function htmlOf(post: Post): string {
  const quoted = post.quotedPost;
  const quote =
    quoted === undefined || quoted === null
      ? ''
      : `<blockquote><p>@${escaped(quoted.authorUsername)}</p>${paragraph(quoted)}</blockquote>`;
  return `${paragraph(post)}${quote}`;
}

/** Links to members and hashtags are for the pages of the node, so here those are text. */
function paragraph({ contentWarning, content }: EmbeddedPost): string {
  const text = contentWarning === '' ? content : contentWarning;
  const links = entitiesOf(text).filter(({ kind }) => kind !== 'hashtag' && kind !== 'mention');
  return `<p>${formatted(text, links, () => undefined)}</p>`;
}

function element(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

/** Without the characters that XML 1.0 does not allow. */
function escaped(text: string): string {
  return escapedMarkup(text.replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, ''));
}
