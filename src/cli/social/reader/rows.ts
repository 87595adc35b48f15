import type { Notification } from '../../../contract/notifications/notification.ts';
import type { EmbeddedPost, Post } from '../../../contract/social/post.ts';
import { linesWithin } from '../../kit/canvas.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { moment } from '../../kit/screen.ts';
import { idOf as idOfNotice, sentenceOf } from '../notification-views.ts';
import { isFoldable, postText } from '../post-view.ts';
import type { Reading } from './reading.ts';

/** What one row of a list is: a post, in a thread with its depth, or a notification. */
export type Row = PostRow | { readonly notice: Notification };

export interface PostRow {
  readonly post: Post;
  readonly depth?: number;
}

export function idOf(row: Row): string {
  return 'post' in row ? row.post['_id'] : idOfNotice(row.notice);
}

/** What keys act on: of a repost, the post itself. @returns undefined for one that the person may not see */
export function subjectOf({ post }: PostRow): EmbeddedPost | undefined {
  return post.postType === 'repost' ? (post.quotedPost ?? undefined) : post;
}

/** Timelines show no more of a post, so that a long one does not push the others away. */
const MOST_LINES = 14;
/** the cursor, and the space beside it */
const MARGIN = 2;
const INDENT = 2;
/** A thread is not indented so far that lines get shorter. */
const SHORTEST_LINE = 40;

/** The lines of a row, no wider than the screen, with an empty line at the end of a post. */
export function linesOf(reading: Reading, row: Row, isChosen: boolean): string[] {
  const width = reading.canvas.width() - MARGIN;
  const lines = 'post' in row ? postLines(reading, row, width) : noticeLines(reading, row.notice, width);
  const [first, other] = isChosen ? ['> ', '│ '] : ['  ', '  '];
  return lines.map((line, at) => (line === '' && at > 0 ? line : `${at === 0 ? first : other}${line}`));
}

function postLines({ at, measure, unfolded }: Reading, { post, depth }: PostRow, width: number): string[] {
  const indent = Math.min((depth ?? 0) * INDENT, Math.max(0, width - SHORTEST_LINE));
  const screen = { ...at, width: width - indent, paint: (_: string, text: string) => text, measure };
  const folded = !unfolded.has(post['_id']);
  const lines = (text: string, columns: number): string[] => linesWithin(text, columns, measure);
  const text = postText(screen, post, { ids: false, folded, lines }).split('\n');
  const shown = depth === undefined ? shortened(text).map((line) => fit(line, width, measure)) : text;
  return [...shown.map((line) => ' '.repeat(indent) + line), ''];
}

function shortened(lines: readonly string[]): readonly string[] {
  const hidden = lines.length - MOST_LINES;
  if (hidden <= 1) return lines;
  const end = `  … ${hidden + 1} more lines: enter`;
  return [...lines.slice(0, MOST_LINES - 2), end, ...lines.slice(-1)];
}

function noticeLines({ at, measure }: Reading, notice: Notification, width: number): string[] {
  const text = `${notice.isRead ? ' ' : '*'} ${moment(at, notice.updatedAt)}  ${escapeForTerminal(sentenceOf(notice))}`;
  return linesWithin(text, width, measure);
}

export function canUnfold(row: Row): boolean {
  if (!('post' in row)) return false;
  const { post } = row;
  const media = [...post.mediaAttachments, ...(post.quotedPost?.mediaAttachments ?? [])];
  return isFoldable(post) || post.isSensitive || media.some(({ sensitive, altText }) => sensitive && altText !== '');
}
