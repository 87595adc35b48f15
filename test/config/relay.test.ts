import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/stores.ts';

/** The configuration of `[mail]` and `[mail.relay]`, or why it is refused. */
async function loaded(mail: string, relay: string): Promise<unknown> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'conclave.toml');
  await writeFile(file, `[mail]\n${mail}\n[mail.relay]\n${relay}\n`);
  try {
    return (await loadConfig({ flags: { config: file }, env: {}, home: folder.path })).config.mail;
  } catch (error) {
    return (error as Error).message.replaceAll(`${file}: `, '');
  }
}

const domain = 'domain = "home.example"';

describe('the options of the mail relay', () => {
  it('are off, and encrypted where it is on', async () => {
    expect(await loaded('', '')).toMatchObject({ relayHost: undefined });
    expect(await loaded(domain, 'host = "mail.example"')).toMatchObject({
      relayHost: 'mail.example',
      relayPort: 587,
      relayTls: 'starttls',
      relayUser: undefined,
      relayPasswordFile: undefined,
      relayPerDay: 1_000,
    });
    for (const host of ['localhost', '127.0.0.1', '::1'])
      expect(await loaded(domain, `host = "${host}"\ntls = "off"`)).toMatchObject({ relayTls: 'off' });
  });

  it.each([
    [
      '',
      'host = "mail.example"',
      'mail.domain is missing: mail over mail.relay.host comes from addresses of this domain',
    ],
    [
      domain,
      'host = "mail.example"\ntls = "off"',
      'mail.relay.tls may be off only where mail.relay.host is a loopback',
    ],
    [domain, 'host = "mail.example"\ntls = "none"', 'mail.relay.tls must be one of starttls, implicit, off'],
    [domain, 'host = "mail.example:25"', 'mail.relay.host must be a host name or an address, without a port'],
    [domain, 'host = "mail.example"\nport = 0', 'mail.relay.port must be a whole number from 1 to 65535'],
    [
      domain,
      'host = "mail.example"\nuser = "node"',
      'mail.relay.password_file is missing: a sign-in at mail.relay.host',
    ],
    [domain, 'host = "mail.example"\npassword_file = "p"', 'mail.relay.user is missing: a sign-in at mail.relay.host'],
    [domain, 'host = "mail.example"\nuser = "a\\nb"', 'mail.relay.user must be the user name at the mail server'],
    [domain, 'user = "node"\npassword_file = "p"', 'mail.relay.host is missing: mail.relay.user and'],
    [domain, 'host = "mail.example"\npassword = "secret"', 'mail.relay.password is not an option'],
    [domain, 'per_day = 0', 'mail.relay.per_day must be a whole number from 1 to 1000000'],
  ])('are refused with what to do: %s %s', async (mail, relay, message) => {
    const said = await loaded(mail, relay);
    expect(said).toContain(message);
    expect(said).not.toContain('secret');
  });
});
