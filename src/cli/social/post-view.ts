import type { EmbeddedPost, Post } from '../../contract/social/post.ts';
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
    { title: 'Id', of: (post) => post['_id'], whole: true },
    { title: 'Time', of: (post) => post.createdAt },
    { title: 'Author', of: (post) => post.authorUsername },
    { title: 'Text', of: (post) => textOf(post).replaceAll(/\s*\r?\n\s*/g, ' ') },
  ]);
}

function textOf({ postType, content, quotedPost }: Post): string {
  return postType === 'repost' ? (quotedPost?.content ?? '') : content;
}

function postText(screen: Screen, post: Post): string {
  const { paint } = screen;
  if (post.postType === 'repost') {
    const by = paint('dim', `${nameOf(post)} reposted`);
    return post.quotedPost
      ? `${by}\n${oneText(screen, post.quotedPost)}`
      : `${by}\n${INDENT}${paint('dim', 'a post that you cannot see')}`;
  }
  if (post.postType !== 'quote') return oneText(screen, post);
  const quoted = post.quotedPost
    ? indented(oneText(narrowed(screen), post.quotedPost), `${INDENT}| `)
    : `${INDENT}${paint('dim', '| a post that you cannot see')}`;
  return `${oneText(screen, post)}\n${quoted}`;
}

function nameOf({ authorUsername, authorDisplayName }: EmbeddedPost): string {
  const display = escapeForTerminal(authorDisplayName);
  return display === authorUsername ? `@${authorUsername}` : `${display} (@${authorUsername})`;
}

function oneText(screen: Screen, post: EmbeddedPost): string {
  const { paint } = screen;
  const marks = [
    moment(screen, post.createdAt),
    ...(post.postType === 'reply' ? ['reply'] : []),
    ...(post.visibility === 'public' ? [] : [post.visibility === 'hub' ? 'hub' : 'followers only']),
    ...(post.isEdited ? ['edited'] : []),
  ];
  const warning = post.contentWarning === '' ? [] : [paint('yellow', `[${escapeForTerminal(post.contentWarning)}]`)];
  const width = Math.min(screen.width, WIDEST) - INDENT.length;
  const lines = escapeLinesForTerminal(post.content)
    .split('\n')
    .flatMap((line) => wrapped(line, width));
  return [
    `${paint('bold', nameOf(post))}  ${paint('dim', marks.join(', '))}`,
    ...[...warning, ...lines].map((line) => `${INDENT}${line}`),
    `${INDENT}${paint('dim', footOf(post))}`,
  ].join('\n');
}

function footOf(post: EmbeddedPost): string {
  const counts = [
    counted(post.likeCount, 'like'),
    counted(post.repostCount, 'repost'),
    post.replyCount > 0 ? `${post.replyCount} ${post.replyCount === 1 ? 'reply' : 'replies'}` : '',
    counted(post.quoteCount, 'quote'),
    post.upvoteCount + post.downvoteCount > 0 ? `score ${post.score}` : '',
    post.liked ? 'you like it' : '',
    post.mediaAttachments.length > 0 ? `${post.mediaAttachments.length} media` : '',
  ];
  return [post['_id'], ...counts.filter((text) => text !== '')].join('  ');
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
  const below = new Map<string, Post[]>();
  for (const reply of replies)
    below.set(reply.parentPostId ?? '', [...(below.get(reply.parentPostId ?? '') ?? []), reply]);
  const texts: string[] = [];
  const add = (post: Post, depth: number): void => {
    const by = INDENT.repeat(Math.min(depth, 10));
    texts.push(indented(postText({ ...screen, width: screen.width - by.length }, post), by));
    for (const reply of below.get(post['_id']) ?? []) add(reply, depth + 1);
  };
  add(rootPost, 0);
  return texts.join('\n\n');
}
