import type { LoadedConfig } from '../../config/load.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { Screen } from '../kit/screen.ts';
import type { Terminal } from '../kit/terminal.ts';

/** Log lines as the configuration says; for who looks at a terminal and has said nothing, as text. */
export function logFormat({ stderr }: Terminal, { config, settings }: LoadedConfig): 'json' | 'text' {
  const source = settings.find(({ key }) => key === 'log.format')?.source;
  return source === 'default' && stderr.isTTY === true ? 'text' : config.log.format;
}

/** What a server says that takes requests. */
export function describeReady(
  { paint }: Screen,
  { url, fingerprint }: { readonly url: string; readonly fingerprint: string | undefined },
): string {
  const lines = [`Conclave serves ${paint('bold', escapeForTerminal(url))}`];
  if (fingerprint !== undefined) {
    lines.push(
      `Its certificate is self-signed. Clients need: --ca sha256:${fingerprint.replaceAll(':', '').toLowerCase()}`,
    );
  }
  return lines.join('\n');
}
