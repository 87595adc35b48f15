import { Args, Flags } from '@oclif/core';
import { ApiCommand, type ConnectionFlags } from '../kit/command.ts';
import { escapeLinesForTerminal } from '../kit/escape-for-terminal.ts';
import { secretReader } from '../kit/secrets.ts';
import type { VaultSummary } from '../../contract/passvault/entry.ts';
import { masterPasswordVariable, type VaultSession } from './session.ts';

export const entryArgument = {
  entry: Args.string({
    description:
      '<vault>/<entry> by name, title or id; the title, host or id of an entry in an open vault; or a conclave:// reference',
    required: true,
  }),
};

export const vaultArgument = {
  vault: Args.string({
    description: 'name of the vault (owner:name for somebody else’s), or beginning of its id',
    required: true,
  }),
};

export type VaultFlags = ConnectionFlags & { readonly 'master-password-file'?: string | undefined };

/** A command that works on vaults. It unlocks a locked vault first, if it can get the master password. */
export abstract class VaultCommand extends ApiCommand {
  static override baseFlags = {
    ...ApiCommand.baseFlags,
    'master-password-file': Flags.string({
      helpGroup: 'GLOBAL',
      description: `file with the master password of a locked vault (- for standard input); also ${masterPasswordVariable}, ${masterPasswordVariable}_FILE`,
      helpValue: 'FILE',
    }),
  };

  protected async session(flags: VaultFlags): Promise<VaultSession & AsyncDisposable> {
    const client = await this.connect(flags);
    return {
      client,
      terminal: this.terminal,
      masterPassword: once(() =>
        secretReader(this.terminal).read('master-password', flags['master-password-file'], masterPasswordVariable),
      ),
      [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
    };
  }

  /** Prints notices for the owner of vaults. */
  protected async tell(vaults: readonly VaultSummary[]): Promise<void> {
    const { noticeLines } = await import('./sharing/emergency-details.ts');
    for (const line of noticeLines(await this.screen(), vaults)) this.warnOf(line);
  }

  /** Prints one text as the answer. On a terminal, the text is escaped; other output gets the exact bytes. */
  protected async answerText(data: unknown, text: string, { newline = true } = {}): Promise<void> {
    const { stdout } = this.terminal;
    if (this.wantsJson) return await this.answer(data, () => '');
    const shown = stdout.isTTY === true ? `${escapeLinesForTerminal(text)}\n` : `${text}${newline ? '\n' : ''}`;
    await new Promise<void>((resolve, reject) => stdout.write(shown, (error) => (error ? reject(error) : resolve())));
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => (reading ??= read());
}
