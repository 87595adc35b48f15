import type { LoadedConfig } from '../../config/load.ts';
import { escapeForTerminal } from '../kit/escape-for-terminal.ts';
import type { Screen } from '../kit/screen.ts';
import type { Terminal } from '../kit/terminal.ts';

/** The log format from the configuration. The default on a terminal is text. */
export function logFormat({ stderr }: Terminal, { config, settings }: LoadedConfig): 'json' | 'text' {
  const source = settings.find(({ key }) => key === 'log.format')?.source;
  return source === 'default' && stderr.isTTY === true ? 'text' : config.log.format;
}

interface Shown {
  readonly url: string;
  readonly fingerprint: string | undefined;
  readonly selfSigned: boolean;
  readonly smtp:
    | { readonly host: string; readonly port: number; readonly tls: string; readonly fingerprint: string | undefined }
    | undefined;
}

/** The message of a server that is ready for requests. */
export function describeReady({ paint }: Screen, { url, fingerprint, selfSigned, smtp }: Shown): string {
  const lines = [`Conclave serves ${paint('bold', escapeForTerminal(url))}`];
  if (fingerprint !== undefined && selfSigned) {
    lines.push(
      `Its certificate is self-signed. Clients need: --ca sha256:${fingerprint.replaceAll(':', '').toLowerCase()}`,
    );
  }
  if (smtp !== undefined) {
    const how = { starttls: 'with STARTTLS', implicit: 'over TLS', off: 'without TLS' }[smtp.tls] ?? smtp.tls;
    lines.push(`Programs submit e-mail at ${escapeForTerminal(`${smtp.host}:${smtp.port}`)}, ${how}.`);
    if (smtp.fingerprint !== undefined)
      lines.push(`The SHA-256 fingerprint of its certificate is ${smtp.fingerprint}.`);
  }
  return lines.join('\n');
}
