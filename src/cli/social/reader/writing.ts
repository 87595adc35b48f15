import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { social } from '../../../contract/social.ts';
import type { EmbeddedPost } from '../../../contract/social/post.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { aside, untilDone } from '../../kit/full-screen.ts';
import { oneKey } from '../../kit/one-key.ts';
import { prompts } from '../../kit/prompts.ts';
import { editText } from '../../passvault/browse/editor.ts';
import { hubNamed } from '../hub-named.ts';
import { assertSendable, mediaFiles, uploadMedia } from '../media.ts';
import { isFoldable } from '../post-view.ts';
import type { Timeline } from '../timelines.ts';
import type { Reading } from './reading.ts';
import { idOf, type PostRow } from './rows.ts';

/** A post that somebody writes. */
interface Draft {
  text: string;
  warning: string;
  readonly media: string[];
  readonly alt: string[];
  /** those of the media that are on the server, so that a second try does not send them again */
  readonly sent: { readonly _id: string }[];
}

interface Written {
  readonly mediaAttachments: { readonly _id: string }[];
  readonly contentWarning?: string;
}

type Send = (client: Client, text: string, about: Written) => Promise<unknown>;

/** Has a post written, in the hub that is shown if there is one. @returns what to tell the person */
export async function compose(reading: Reading, { kind, name = '' }: Partial<Timeline>): Promise<string> {
  const hub = kind === 'hub' ? name : undefined;
  return await write(
    reading,
    hub === undefined ? 'Post:' : `Post in ${escapeForTerminal(hub)}:`,
    async (client, content, about) => {
      const hubIds = hub === undefined ? {} : { hubIds: [(await hubNamed(client, hub)).id] };
      await perform(client, social.createPost, { content, ...hubIds, ...about });
    },
  );
}

export async function replyTo(reading: Reading, row: PostRow, post: EmbeddedPost): Promise<string> {
  const { _id: parentPostId, authorUsername } = post;
  return await write(
    reading,
    `${beginningOf(reading, row, post)}Reply to @${escapeForTerminal(authorUsername)}:`,
    async (client, content, about) => await perform(client, social.createPost, { content, parentPostId, ...about }),
  );
}

export async function quote(reading: Reading, row: PostRow, post: EmbeddedPost): Promise<string> {
  const { _id: id, authorUsername } = post;
  return await write(
    reading,
    `${beginningOf(reading, row, post)}Quote @${escapeForTerminal(authorUsername)}:`,
    async (client, commentary, about) => await perform(client, social.quote, { id, commentary, ...about }),
  );
}

/** The first line of the post that a draft is about, unless it is folded on the screen. */
function beginningOf({ canvas, measure, unfolded }: Reading, row: PostRow, { content }: EmbeddedPost): string {
  const [line = ''] = content.trimStart().split(/\r?\n/, 1);
  if (line === '' || (isFoldable(row.post) && !unfolded.has(idOf(row)))) return '';
  return `${fit(`> ${escapeForTerminal(line)}`, canvas.width(), measure)}\n`;
}

/**
 * Opens the editor, and asks what to do with the text until it is sent or thrown away.
 * @param message may be printed as it is
 */
async function write(reading: Reading, message: string, send: Send): Promise<string> {
  return await aside(reading, async () => {
    const draft: Draft = { text: (await edited(reading, '')) ?? '', warning: '', media: [], alt: [], sent: [] };
    if (draft.text.trim() === '') return 'Nothing was written.';
    const keys = { s: 'send', e: 'edit', w: 'warn of it', f: 'attach', x: 'discard' };
    return await untilDone(reading, message, keys, async (key) => {
      if (key === 'x') return (await isLost(reading, draft)) ? 'The text was discarded.' : undefined;
      if (key === 's') {
        await reading.use(async (client) => await sent(reading, client, draft, send));
        return 'Sent.';
      }
      if (key === 'e') draft.text = (await edited(reading, draft.text)) ?? draft.text;
      else if (key === 'w') draft.warning = await askWarning(reading, draft.warning);
      else await attach(reading, draft);
      return undefined;
    });
  });
}

/** Whether a draft may go: `x` is beside other keys. */
async function isLost({ terminal }: Reading, { text }: Draft): Promise<boolean> {
  if (text.trim() === '') return true;
  return (await oneKey(terminal, 'Throw the text away?', { x: 'yes', y: 'yes', n: 'no' })) !== 'n';
}

async function sent(
  { terminal }: Reading,
  client: Client,
  { text, warning, media, alt, sent: before }: Draft,
  send: Send,
): Promise<void> {
  for (const file of mediaFiles({ media, alt }).slice(before.length))
    before.push(...(await uploadMedia(terminal, client, [file])).map(({ _id }) => ({ _id })));
  await send(client, text, { mediaAttachments: before, ...(warning !== '' && { contentWarning: warning }) });
}

async function askWarning({ terminal }: Reading, before: string): Promise<string> {
  const message = 'What readers are told before they see the text (- for nothing)';
  const ask = prompts(terminal, { back: true });
  const warning = (await ask.text({ message, ...(before !== '' && { fallback: before }) })).trim();
  return warning === '-' ? '' : warning;
}

async function attach({ terminal }: Reading, { media, alt }: Draft): Promise<void> {
  const ask = prompts(terminal, { back: true });
  const file = (await ask.text({ message: 'Picture, video or sound to attach' })).trim();
  if (file === '') return;
  mediaFiles({ media: [...media, file] });
  await assertSendable(file);
  const about = await ask.text({ message: 'What it shows, for those who cannot see it' });
  media.push(file);
  alt.push(about.trim());
  terminal.stderr.write(`Attached: ${escapeForTerminal(media.join(', '))}\n`);
}

/** The text without the line end that editors add. */
async function edited({ terminal }: Reading, text: string): Promise<string | undefined> {
  const warn = (message: string) => void terminal.stderr.write(`${message}\n`);
  return (await editText(terminal, text, { allowDisk: true, warn }))?.trimEnd();
}
