import type { EmbeddedPost, Post } from '../../contract/social/post.ts';
import { linesWithin } from '../kit/canvas.ts';
import { wrapped } from '../kit/display-width.ts';
import { escapeForTerminal, escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';

/** Text of posts is not wider than this, because longer lines are hard to read. */
const WIDEST = 80;
const INDENT = '  ';

/** Posts below each other, or one line for each without a terminal: id, time, author and text. */
export function postsText(screen: Screen, posts: readonly Post[]): string {
  if (Number.isFinite(screen.width)) return posts.map((post) => postText(screen, post)).join('\n\n');
  return table(screen, posts, [
    { title: 'ID', of: (post) => post['_id'], whole: true },
    { title: 'TIME', of: (post) => post.createdAt },
    { title: 'AUTHOR', of: (post) => post.authorUsername },
    { title: 'TEXT', of: (post) => textOf(post).replaceAll(/\s*\r?\n\s*/g, ' ') },
  ]);
}

function textOf({ postType, content, quotedPost }: Post): string {
  return postType === 'repost' ? (quotedPost?.content ?? '') : content;
}

/** How much of posts is shown. */
export interface Shown {
  /** whether their ids are, for commands that take one */
  readonly ids: boolean;
  /** whether what their authors warn of, or a filter of the reader, is left out */
  readonly folded: boolean;
  /** breaks lines that are wider */
  readonly lines: (text: string, width: number) => string[];
}

function all({ measure }: Screen): Shown {
  return {
    ids: true,
    folded: false,
    // A link that is longer than a line stays whole, so that it can be followed and copied.
    lines: (text, width) =>
      text
        .split('\n')
        .flatMap((line) => (measure(line) <= width ? [line] : wrapped(line, width, measure)))
        .flatMap((line) => (/^https?:\/\//.test(line) ? [line] : linesWithin(line, width, measure))),
  };
}

export function postText(screen: Screen, post: Post, shown: Shown = all(screen)): string {
  const { paint } = screen;
  const { quotedPost, filtered = [] } = post;
  if (post.postType === 'repost') {
    const reposted = shown.lines(`${nameOf(post)} reposted`, widthFor(screen));
    const by = reposted.map((line) => paint('dim', line)).join('\n');
    return quotedPost
      ? `${by}\n${oneText(screen, quotedPost, shown, filtered)}`
      : `${by}\n${INDENT}${paint('dim', 'a post that you cannot see')}`;
  }
  const own = oneText(screen, post, shown, filtered);
  if (post.postType !== 'quote' || (shown.folded && filtered.length > 0)) return own;
  const quoted = quotedPost
    ? indented(oneText(narrowed(screen), quotedPost, shown, []), `${INDENT}| `)
    : `${INDENT}${paint('dim', '| a post that you cannot see')}`;
  return `${own}\n${quoted}`;
}

/** Whether something of it can be folded. */
export function isFoldable({ contentWarning, filtered = [], quotedPost }: Post): boolean {
  return [contentWarning, quotedPost?.contentWarning ?? '', ...filtered].some((text) => text !== '');
}

export function nameOf({
  authorUsername,
  authorDisplayName,
}: Pick<EmbeddedPost, 'authorUsername' | 'authorDisplayName'>): string {
  const display = escapeForTerminal(authorDisplayName);
  const name = escapeForTerminal(authorUsername);
  return display === name ? `@${name}` : `${display} (@${name})`;
}

function widthFor({ width }: Screen): number {
  return Math.min(width, WIDEST);
}

function oneText(screen: Screen, post: EmbeddedPost, shown: Shown, filtered: readonly string[]): string {
  const { paint } = screen;
  const marks = [
    moment(screen, post.createdAt),
    ...(post.postType === 'reply' ? ['reply'] : []),
    ...(post.visibility === 'public' ? [] : [post.visibility === 'hub' ? 'hub' : 'followers only']),
    ...(post.isEdited ? ['edited'] : []),
  ];
  const warnings = [
    ...(post.contentWarning === '' ? [] : [post.contentWarning]),
    ...filtered.map((phrase) => `filter: ${phrase}`),
  ].map((text) => `[${escapeForTerminal(text)}]`);
  const width = widthFor(screen) - INDENT.length;
  const body =
    shown.folded && warnings.length > 0
      ? []
      : [...shown.lines(escapeLinesForTerminal(post.content), width), ...mediaLines(post, shown, width)];
  const lines = [
    ...warnings.flatMap((text) => shown.lines(text, width)).map((line) => paint('yellow', line)),
    ...body,
    ...footLines(post, shown, width).map((line) => paint('dim', line)),
  ];
  const [head = '', ...more] = shown.lines(`${nameOf(post)}  ${marks.join(', ')}`, widthFor(screen));
  const name = nameOf(post);
  const title = more.length === 0 ? `${paint('bold', name)}${paint('dim', head.slice(name.length))}` : head;
  return [title, ...more, ...lines.map((line) => `${INDENT}${line}`)].join('\n');
}

/** What the media show, as far as their author says so. */
function mediaLines(
  { mediaAttachments, isSensitive }: EmbeddedPost,
  { folded, lines }: Shown,
  width: number,
): string[] {
  return mediaAttachments.flatMap(({ mimeType, altText, sensitive }) => {
    const kind = mimeType.startsWith('image/') ? 'picture' : mimeType.startsWith('video/') ? 'video' : 'sound';
    const isHidden = sensitive || isSensitive;
    const text = altText === '' || (isHidden && folded) ? '' : ` ${escapeForTerminal(altText)}`;
    return lines(`[${isHidden ? `sensitive ${kind}` : kind}]${text}`, width);
  });
}

function footLines(post: EmbeddedPost, { ids, lines }: Shown, width: number): string[] {
  const counts = [
    counted(post.likeCount, 'like'),
    counted(post.repostCount, 'repost'),
    post.replyCount > 0 ? `${post.replyCount} ${post.replyCount === 1 ? 'reply' : 'replies'}` : '',
    counted(post.quoteCount, 'quote'),
    post.upvoteCount + post.downvoteCount > 0 ? `score ${post.score}` : '',
    post.liked ? 'you like it' : '',
    ids || !post.reposted ? '' : 'you reposted it',
    ids || !post.bookmarked ? '' : 'bookmarked',
    !ids || post.mediaAttachments.length === 0 ? '' : `${post.mediaAttachments.length} media`,
  ];
  const words = [...(ids ? [post['_id']] : []), ...counts.filter((text) => text !== '')].join('  ');
  return words === '' ? [] : lines(words, width);
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;
}

function narrowed(screen: Screen): Screen {
  return { ...screen, width: Math.min(screen.width, WIDEST) - 2 * INDENT.length };
}

function indented(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => by + line)
    .join('\n');
}

/** A thread: the first post, and its replies, each indented by its depth below the first one. */
export function threadText(screen: Screen, rootPost: Post, replies: readonly Post[]): string {
  if (!Number.isFinite(screen.width)) return postsText(screen, [rootPost, ...replies]);
  return threadOf(rootPost, replies)
    .map(({ post, depth }) => {
      const by = INDENT.repeat(Math.min(depth, 10));
      return indented(postText({ ...screen, width: screen.width - by.length }, post), by);
    })
    .join('\n\n');
}

/** The posts of a thread, each before its replies. A reply to a post of an earlier page stands below the first post. */
export function threadOf(rootPost: Post, replies: readonly Post[]): { readonly post: Post; readonly depth: number }[] {
  const here = new Set([rootPost, ...replies].map((post) => post['_id']));
  const below = new Map<string, Post[]>();
  for (const reply of replies) {
    const { parentPostId: parent = '' } = reply;
    const above = here.has(parent) ? parent : rootPost['_id'];
    below.set(above, [...(below.get(above) ?? []), reply]);
  }
  const posts: { post: Post; depth: number }[] = [];
  const add = (post: Post, depth: number): void => {
    posts.push({ post, depth });
    for (const reply of below.get(post['_id']) ?? []) add(reply, depth + 1);
  };
  add(rootPost, 0);
  return posts;
}
