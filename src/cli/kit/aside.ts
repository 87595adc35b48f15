import { prompts } from './prompts.ts';
import type { Terminal } from './terminal.ts';

/** Shows a text on the terminal's alternate screen, so that it does not stay in the scrollback. */
export async function aside(terminal: Terminal, text: string): Promise<void> {
  terminal.stderr.write(`\u001b[?1049h\u001b[H${text}\n\n`);
  try {
    await prompts(terminal, { back: true }).text({ message: 'Enter goes back' });
  } finally {
    terminal.stderr.write('\u001b[?1049l');
  }
}
