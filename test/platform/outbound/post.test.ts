import { describe, expect, it } from 'vitest';
import { destinationOf, OutgoingRefused, postTo } from '../../../src/platform/outbound/post.ts';
import { publicAddresses } from '../../../src/platform/outbound/public-addresses.ts';
import { openPushService } from '../../shared/notifications/push-service.ts';
import { elapses } from '../../support/real-time.ts';

const isPublic = publicAddresses();

const resolving = (...addresses: string[]) => ({ lookup: async () => addresses, allows: isPublic, ca: undefined });

const others = `
  0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8
  192.0.2.1 192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
  :: ::1 ::ffff:127.0.0.1 ::ffff:9.9.9.9 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1
  2002:7f00:1:: 3fff::1 fc00::1 fd12:3456::1 fe80::1 fe80::1%lo fec0::1 ff02::1 2620:fe::9%lo localhost 9.9.9
  0x7f.1 127.1`;

describe('public addresses', () => {
  it.each(['9.9.9.9', '100.63.255.255', '100.128.0.0', '172.32.0.1', '192.0.1.1', '2620:fe::9', '2a00:1450:4001::1'])(
    'are those of the internet: %s',
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );

  it.each(['', ...others.trim().split(/\s+/)])(
    'are not those of networks with another purpose, nor other texts: %s',
    (address) => {
      expect(isPublic(address)).toBe(false);
    },
  );
});

describe('destinations that strangers name', () => {
  it('are https URLs whose host has public addresses alone', async () => {
    const found = await destinationOf(resolving('9.9.9.9', '2620:fe::9'), 'https://push.example/x?y');
    expect(found.addresses).toEqual(['9.9.9.9', '2620:fe::9']);
    expect((await destinationOf(resolving(), 'https://[2620:fe::9]:8443/')).addresses).toEqual(['2620:fe::9']);
  });

  it.each([
    ['http://push.example/', '9.9.9.9'],
    ['ftp://push.example/', '9.9.9.9'],
    ['https://user@push.example/', '9.9.9.9'],
    ['https://:word@push.example/', '9.9.9.9'],
    ['https://push.example/#part', '9.9.9.9'],
    ['file:///etc/passwd', '9.9.9.9'],
    ['push.example', '9.9.9.9'],
    ['https://localhost/', '127.0.0.1'],
    ['https://127.0.0.1/', '9.9.9.9'],
    ['https://127.1/', '9.9.9.9'],
    ['https://2130706433/', '9.9.9.9'],
    ['https://0x7f000001/', '9.9.9.9'],
    ['https://0/', '9.9.9.9'],
    ['https://[::1]/', '9.9.9.9'],
    ['https://[::ffff:7f00:1]/', '9.9.9.9'],
    ['https://metadata.example/', '169.254.169.254'],
    ['https://mixed.example/', '9.9.9.9', '10.0.0.1'],
    ['https://nothing.example/'],
  ])('are refused: %s at %s', async (url, ...addresses) => {
    await expect(destinationOf(resolving(...addresses), url)).rejects.toBeInstanceOf(OutgoingRefused);
  });

  it('are refused, and not told, when the resolver fails', async () => {
    const outgoing = { ...resolving(), lookup: () => Promise.reject(new Error('ENOTFOUND secret.internal')) };
    await expect(destinationOf(outgoing, 'https://push.example/')).rejects.toThrow(/^(?!.*secret)/);
  });
});

describe('requests to strangers', () => {
  const posting = { headers: { topic: 'x' }, body: Buffer.from('{}'), timeoutMs: 60_000 };
  const signal = new AbortController().signal;

  it('go to the address that was checked, whatever the name resolves to by then', async () => {
    await using service = await openPushService();
    const { outgoing, port } = service;
    const destination = await destinationOf(outgoing, `https://push.example.net:${port}/a`);
    service.resolveTo(['10.0.0.1']);
    expect(await postTo(outgoing, destination, { ...posting, signal })).toEqual({ status: 201, retryAfter: undefined });
    expect(service.lookups()).toBe(1);
    expect(service.received).toMatchObject([{ path: '/a', headers: { topic: 'x', host: `push.example.net:${port}` } }]);
    await expect(destinationOf(outgoing, `https://push.example.net:${port}/a`)).rejects.toBeInstanceOf(OutgoingRefused);
  });

  it('follow no redirect', async () => {
    await using service = await openPushService();
    const { outgoing, port, answers } = service;
    answers.push({ status: 307, headers: { location: `https://push.example.net:${port}/b` } });
    const destination = await destinationOf(outgoing, `https://push.example.net:${port}/a`);
    expect(await postTo(outgoing, destination, { ...posting, signal })).toMatchObject({ status: 307 });
    expect(service.received.map(({ path }) => path)).toEqual(['/a']);
  });

  it('end when nothing is answered, or when the program ends, and trust no other certificate', async () => {
    await using service = await openPushService();
    const { outgoing, port, answers } = service;
    const destination = await destinationOf(outgoing, `https://push.example.net:${port}/a`);
    answers.push('hang', 'hang');
    await expect(postTo(outgoing, destination, { ...posting, timeoutMs: elapses(300), signal })).rejects.toThrow(
      /aborted/,
    );
    const abort = new AbortController();
    const sent = postTo(outgoing, destination, { ...posting, signal: abort.signal });
    abort.abort();
    await expect(sent).rejects.toThrow(/aborted/);
    await expect(postTo({ ...outgoing, ca: undefined }, destination, { ...posting, signal })).rejects.toThrow(
      /self.signed certificate/,
    );
  });
});
