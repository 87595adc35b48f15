import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { prompts } from '../../kit/prompts.ts';
import { saveAttachments, type Attachment } from '../saving.ts';
import { aside } from '../../kit/full-screen.ts';
import type { Reading } from './reading.ts';

/** Asks for a folder, and which files where there are several, and saves them. @returns what to tell the person */
export async function saveFiles(
  reading: Reading,
  messageId: string,
  attachments: readonly Attachment[],
): Promise<string> {
  if (attachments.length === 0) return 'Nothing is attached to this message.';
  return await aside(reading, async () => {
    const ask = prompts(reading.terminal, { back: true });
    const all = { name: 'all', value: attachments };
    const items = [all, ...attachments.map((one) => ({ name: nameOf(one), value: [one] }))];
    const those = attachments.length === 1 ? attachments : await ask.menu('Save', items);
    const folder = await ask.text({ message: 'Folder', fallback: '.' });
    const saved = await reading.use(
      async (client) => await saveAttachments(reading.terminal, client, messageId, those, folder),
    );
    return `Saved ${saved.map(({ path }) => path).join(', ')}.`;
  });
}

function nameOf({ filename, index }: Attachment): string {
  return filename === '' ? `attachment ${index}` : escapeForTerminal(filename);
}
