import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import { social } from '../../../contract/social.ts';
import type { EmbeddedPost } from '../../../contract/social/post.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { aside, untilDone } from '../../kit/full-screen.ts';
import { prompts } from '../../kit/prompts.ts';
import { editText } from '../../passvault/browse/editor.ts';
import { hubNamed } from '../hub-named.ts';
import { assertSendable, mediaFiles, uploadMedia } from '../media.ts';
import type { Timeline } from '../timelines.ts';
import type { Reading } from './reading.ts';

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
  return await write(reading, hub === undefined ? 'Post:' : `Post in ${hub}:`, async (client, content, about) => {
    const hubIds = hub === undefined ? {} : { hubIds: [(await hubNamed(client, hub)).id] };
    await perform(client, social.createPost, { content, ...hubIds, ...about });
  });
}

export async function replyTo(reading: Reading, { _id: parentPostId, authorUsername }: EmbeddedPost): Promise<string> {
  return await write(
    reading,
    `Reply to @${authorUsername}:`,
    async (client, content, about) => await perform(client, social.createPost, { content, parentPostId, ...about }),
  );
}

export async function quote(reading: Reading, { _id: id, authorUsername }: EmbeddedPost): Promise<string> {
  return await write(
    reading,
    `Quote @${authorUsername}:`,
    async (client, commentary, about) => await perform(client, social.quote, { id, commentary, ...about }),
  );
}

/** Opens the editor, and asks what to do with the text until it is sent or thrown away. */
async function write(reading: Reading, message: string, send: Send): Promise<string> {
  return await aside(reading, async () => {
    const draft: Draft = { text: (await edited(reading, '')) ?? '', warning: '', media: [], alt: [], sent: [] };
    if (draft.text.trim() === '') return 'Nothing was written.';
    const keys = { s: 'send', e: 'edit', w: 'warn of it', f: 'attach', x: 'discard' };
    return await untilDone(reading, escapeForTerminal(message), keys, async (key) => {
      if (key === 'x') return 'The text was discarded.';
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
