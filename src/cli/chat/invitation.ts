import { Flags } from '@oclif/core';
import { Problem } from '../../base/problem.ts';
import { prompts } from '../kit/prompts.ts';
import { fileVariableOf, secretReader } from '../kit/secrets.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';
import { isConversationId } from './rooms/find-room.ts';

/** Not after the field, because `CONCLAVE_TOKEN` is the sign-in. */
const variable = 'CONCLAVE_INVITE';
const written = /^(?:([0-9a-f]{32})\/)?([\w-]{32})$/i;

export const invitationFlags = {
  invite: Flags.boolean({
    description: 'join by an invite, which is asked for, or read from standard input or --token-file',
  }),
  'token-file': Flags.string({
    description: `file with the invite (- for standard input); also ${variable}, ${fileVariableOf(variable)}`,
    helpValue: 'FILE',
    dependsOn: ['invite'],
  }),
};

/** What opens a channel to its holder. */
export interface Invitation {
  /** missing in a bare token */
  readonly channelId: string | undefined;
  readonly token: string;
}

/** An invite in the one line in which it is passed on. */
export function invitationText({ channelId, token }: { readonly channelId: string; readonly token: string }): string {
  return `${channelId}/${token}`;
}

/** @throws Problem invalid SECRET_AS_ARGUMENT for an argument that is an invite or its token: names of channels have neither a slash nor capitals */
export function refuseInvitation(argument: string | undefined): void {
  if (argument === undefined || !written.test(argument) || isConversationId(argument) || !/[/A-Z]/.test(argument))
    return;
  const message =
    'An invite is a secret, and not accepted as an argument. Leave it out: --invite asks for it, or reads it from standard input or --token-file.';
  throw new Problem('invalid', 'SECRET_AS_ARGUMENT', message);
}

/**
 * An invite, or the bare token of one, from a file, a variable, somebody at the terminal, or standard input.
 * @throws Problem invalid SECRET_EMPTY, SECRET_UNREADABLE, INPUT_INVALID
 */
export async function readInvitation(terminal: Terminal, file: string | undefined): Promise<Invitation> {
  const secrets = secretReader(terminal);
  const text =
    (await secrets.read('token', file, variable)) ??
    (isInteractive(terminal)
      ? await prompts(terminal).secret({ message: 'Invite' })
      : await secrets.read('token', '-', variable));
  const [, channelId, token] = written.exec(text?.trim() ?? '') ?? [];
  if (token !== undefined) return { channelId: channelId?.toLowerCase(), token };
  const message =
    'This is no invite to a channel. It is one line with a slash in it, as conclave chat channel invite prints it.';
  throw new Problem('invalid', 'INPUT_INVALID', message);
}
