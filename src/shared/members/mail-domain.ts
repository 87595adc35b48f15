import { hostname } from 'node:os';
import { domainToASCII } from 'node:url';
import type { Context } from '../../service/context.ts';

/** The mail domain of this node in A-labels; empty if what is configured, or the name of the machine, is no domain. */
export function mailDomain({ config }: Pick<Context, 'config'>): string {
  return domainToASCII(config.mail.domain ?? hostname());
}

/** The mail domain of this node as an access list has it; undefined if it has only a name that means nothing elsewhere. */
export function listedMailDomain(ctx: Pick<Context, 'config'>): string | undefined {
  const domain = mailDomain(ctx);
  return domain !== '' && (ctx.config.mail.domain !== undefined || domain.includes('.')) ? domain : undefined;
}
