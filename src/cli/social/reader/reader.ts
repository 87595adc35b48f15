import { perform } from '../../../client/perform.ts';
import { notifications } from '../../../contract/notifications.ts';
import type { Notification } from '../../../contract/notifications/notification.ts';
import { social } from '../../../contract/social.ts';
import { Problem } from '../../../base/problem.ts';
import { counted } from '../../kit/counted.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { aside, showKeys, tried } from '../../kit/full-screen.ts';
import { ARRIVED } from '../../kit/keyboard.ts';
import { prompts } from '../../kit/prompts.ts';
import { idOf as idOfNotice, sentenceOf } from '../notification-views.ts';
import { nameOf } from '../post-view.ts';
import { act, isAction, refreshed, remove } from './actions.ts';
import { noticeHelp, socialHelp, socialKeys } from './help.ts';
import {
  everybody,
  home,
  hubPlace,
  memberPlace,
  notices,
  opened,
  readAgain,
  readMore,
  searchPlace,
  threadPlace,
  type Level,
  type Place,
} from './levels.ts';
import { openNews, type News } from './news.ts';
import type { Reading } from './reading.ts';
import { canUnfold, idOf, linesOf, subjectOf, type PostRow, type Row } from './rows.ts';
import { compose, quote, replyTo } from './writing.ts';

/** Shows timelines, threads and notifications, and does what keys say, until the person quits. */
export async function readSocial(full: Omit<Reading, 'at' | 'unfolded' | 'reposts'>): Promise<void> {
  await using news = await openNews(full, () => full.keyboard.put(ARRIVED));
  const first = await full.use(async (client) => await opened(client, home));
  // The time zone of the account is known after the first call.
  const reading: Reading = { ...full, at: await full.screen(), unfolded: new Set(), reposts: new Map() };
  const reader = new Reader(reading, news, first);
  while (await reader.step());
}

class Reader {
  readonly #reading: Reading;
  readonly #news: News;
  /** the lists on the way to where the person is */
  #levels: [Level, ...Level[]];
  #note = '';

  constructor(reading: Reading, news: News, first: Level) {
    this.#reading = reading;
    this.#news = news;
    this.#levels = [first];
    this.#follow();
  }

  get #level(): Level {
    return this.#levels.at(-1) ?? this.#levels[0];
  }

  /** Shows a list, and does what one key says. @returns whether to go on */
  async step(): Promise<boolean> {
    this.#draw();
    const key = await this.#reading.keyboard.next();
    if (key === 'q' && this.#levels.length === 1) return false;
    this.#note = await tried(async () => await this.#answer(key));
    return true;
  }

  #draw(): void {
    const { canvas } = this.#reading;
    const { list, rows, place } = this.#level;
    const at = Math.min(list.at, rows.length - 1);
    const blocks = rows.map((row, index) => linesOf(this.#reading, row, index === at));
    const lines = rows.length === 0 ? [nothingIn(place)] : list.view(blocks, canvas.height());
    const help = place.kind === 'notifications' ? noticeHelp : socialHelp;
    canvas.draw(titleOf(this.#levels, this.#news.unread()), lines, escapeForTerminal(this.#note), help);
  }

  /** @returns what to tell the person */
  async #answer(key: string): Promise<string> {
    const { list, rows, place } = this.#level;
    const going = this.#goingTo(key);
    if (going !== undefined) return await this.#open(await going(), []);
    if (key === 'resize') return '';
    if (key === '?') return (await showKeys(this.#reading, 'Keys of the reader', socialKeys), '');
    if (key === '.') return await this.#look();
    if (key === ARRIVED) return await this.#arrived();
    if (backKeys.has(key)) return await this.#back();
    if (key === '/') return await this.#open(await searched(this.#reading));
    if (key === 'c')
      return await this.#look(await compose(this.#reading, place.kind === 'timeline' ? place.timeline : {}));
    if (forwardKeys.has(key) && list.isAtEnd)
      await this.#reading.use(async (client) => await readMore(client, this.#level));
    if (list.move(key)) return '';
    const row = rows[list.at];
    if (row === undefined) return '';
    return 'post' in row ? await this.#withPost(key, row) : await this.#withNotice(key, row.notice);
  }

  /** The first lists, by their keys. */
  #goingTo(key: string): (() => Promise<Place>) | undefined {
    if (key === '3') return async () => await chosenHub(this.#reading);
    const place = key === '1' ? home : key === '2' ? everybody : key === '4' ? notices : undefined;
    return place === undefined ? undefined : async () => place;
  }

  async #withPost(key: string, row: PostRow): Promise<string> {
    const reading = this.#reading;
    if (key === 'd') return await this.#look(await remove(reading, row));
    if (key === 'x') return this.#unfold(row);
    const post = subjectOf(row);
    if (post === undefined) return key === 'return' ? 'You cannot see this post.' : '';
    if (key === 'return') return await this.#open(threadPlace(this.#below(row, post['_id'])));
    if (key === 'u') return await this.#open(memberPlace(post.authorId, nameOf(post)));
    if (isAction(key)) return await this.#refresh(row, await act(reading, key, row));
    if (key === 'r') return await this.#look(await replyTo(reading, row, post));
    return key === 'Q' ? await this.#look(await quote(reading, row, post)) : '';
  }

  /** What Enter opens: in a thread, the thread of the post that is quoted. */
  #below({ post }: PostRow, id: string): string {
    return this.#level.place.kind === 'thread' ? (post.quotedPost?.['_id'] ?? id) : id;
  }

  #unfold(row: Row): string {
    const { unfolded } = this.#reading;
    if (!canUnfold(row)) return 'Nothing of this post is hidden.';
    if (!unfolded.delete(idOf(row))) unfolded.add(idOf(row));
    return '';
  }

  async #withNotice(key: string, notice: Notification): Promise<string> {
    if (key === 'a') {
      const { marked } = await this.#reading.use(
        async (client) => await perform(client, notifications.markAllRead, {}),
      );
      return await this.#look(`Marked ${counted(marked, 'notification')} as read.`);
    }
    if (key !== 'return') return '';
    const notificationId = idOfNotice(notice);
    await this.#reading.use(async (client) => await perform(client, notifications.markRead, { notificationId }));
    await this.#look();
    const { type, targetId, actorId } = notice;
    if (aboutPosts.has(type) && targetId !== undefined) return await this.#open(threadPlace(targetId));
    if (type === 'follow' && actorId !== undefined) return await this.#open(memberPlace(actorId, 'your follower'));
    if (type === 'follow_request') return `${sentenceOf(notice)} To decide: conclave social requests`;
    return sentenceOf(notice);
  }

  /** Shows another list. What cannot be read leaves everything as it is. */
  async #open(place: Place, above: readonly Level[] = this.#levels): Promise<string> {
    const level = await this.#reading.use(async (client) => await opened(client, place));
    if (place.kind === 'thread') {
      const at = level.rows.findIndex((row) => idOf(row) === place.postId);
      level.list.choose(at, true);
    }
    this.#levels = [...above, level] as unknown as [Level, ...Level[]];
    this.#follow();
    return '';
  }

  async #back(): Promise<string> {
    if (this.#levels.length === 1)
      return this.#level.place.kind === 'timeline' && this.#level.place.timeline.kind === 'home'
        ? ''
        : await this.#open(home, []);
    this.#levels = this.#levels.slice(0, -1) as unknown as [Level, ...Level[]];
    this.#follow();
    const { rows, list } = this.#level;
    const row = rows[list.at];
    return row !== undefined && 'post' in row ? await this.#refresh(row, '') : '';
  }

  /** Reads the list again. */
  async #look(note = ''): Promise<string> {
    const trouble = await tried(async () => {
      await this.#reading.use(async (client) => await readAgain(client, this.#level));
      this.#follow();
      return '';
    });
    return [note, trouble].filter((part) => part !== '').join(' ');
  }

  /** Reads a post again, and reposts of it in the list. */
  async #refresh(row: PostRow, note: string): Promise<string> {
    const level = this.#level;
    const id = subjectOf(row)?.['_id'];
    level.rows = await this.#reading.use(async (client) => {
      const rows: Row[] = [];
      for (const one of level.rows) {
        if (!('post' in one) || subjectOf(one)?.['_id'] !== id) {
          rows.push(one);
          continue;
        }
        const post = await refreshed(client, one.post);
        if (post !== undefined) rows.push({ ...one, post });
      }
      return rows;
    });
    return note;
  }

  /** Posts that came are added above. What is on the screen stays there, unless it is the beginning. */
  async #arrived(): Promise<string> {
    const level = this.#level;
    if (level.place.kind === 'notifications') return await this.#look(this.#note);
    const known = new Set(level.rows.map(idOf));
    const posts = this.#news.take().filter((post) => !known.has(post['_id']));
    const [first] = posts;
    if (first === undefined) return this.#note;
    const wasAtTop = level.list.isAtTop;
    level.rows = [...posts.toReversed().map((post) => ({ post })), ...level.rows];
    level.list.choose(level.list.at + posts.length, true);
    if (wasAtTop) level.list.toTop();
    return posts.length === 1 ? `New: a post of ${nameOf(first)}` : `New: ${posts.length} posts`;
  }

  #follow(): void {
    const { place, rows } = this.#level;
    const [first] = rows;
    this.#news.follow(
      place.kind === 'timeline' ? place.timeline : undefined,
      first !== undefined && 'post' in first ? first.post['_id'] : '',
    );
  }
}

const backKeys = new Set(['q', 'escape', 'backspace', 'left', 'h']);
const forwardKeys = new Set(['j', 'down', 'space', 'n', 'pagedown', 'G', 'end']);
const aboutPosts = new Set(['like', 'reply', 'mention', 'repost', 'quote']);

/** The first lists with their keys, or the way from one of them to where the person is. */
function titleOf([first, ...deeper]: readonly [Level, ...Level[]], unread: number | undefined): string {
  if (deeper.length > 0) return [first, ...deeper].map(({ place }) => escapeForTerminal(place.title)).join(' > ');
  const { place } = first;
  const isHub = place.kind === 'timeline' && place.timeline.kind === 'hub';
  const count = unread === undefined || unread === 0 ? '' : ` (${unread})`;
  const tabs = [
    ['1', home.title],
    ['2', everybody.title],
    ['3', isHub ? place.title : 'hubs'],
    ['4', notices.title],
  ] as const;
  return tabs
    .map(([key, title]) => {
      const tab = `${key} ${escapeForTerminal(title)}${title === notices.title ? count : ''}`;
      return title === place.title ? `[${tab}]` : ` ${tab} `;
    })
    .join(' ');
}

function nothingIn(place: Place): string {
  if (place.kind === 'notifications') return 'You have no notifications.';
  if (place.kind === 'search') return 'No post found.';
  return place.kind === 'timeline' && place.timeline.kind === 'home'
    ? 'No posts. 2 shows those of everybody on this node. c writes one.'
    : 'No posts.';
}

async function searched(reading: Reading): Promise<Place> {
  const message = 'Words, #tag, from:NAME, hub:SLUG, has:image, before:DATE';
  const check = (text: string) => (text.trim() === '' ? 'Write what to search for' : undefined);
  return await aside(reading, async () =>
    searchPlace((await prompts(reading.terminal, { back: true }).text({ message, check })).trim()),
  );
}

/** One of the person's hubs. */
async function chosenHub(reading: Reading): Promise<Place> {
  const reply = await reading.use(async (client) => await perform(client, social.listHubs, {}));
  const hubs = Array.isArray(reply) ? reply : reply.hubs;
  if (hubs.length === 0)
    throw new Problem('missing', 'HUB_NOT_FOUND', 'You are in no hub. To find some: conclave social hubs --explore');
  const items = hubs.map(({ slug, name }) => ({ name: escapeForTerminal(`${slug}  ${name}`), value: slug }));
  const slug = await aside(reading, async () => await prompts(reading.terminal, { back: true }).menu('Hub', items));
  return hubPlace(slug);
}
