import { formatAddress, isLoopback, parseAddress } from './address.js';

describe('addresses', () => {
  it.each([
    ['127.0.0.1:4000', { host: '127.0.0.1', port: 4000 }],
    ['example.org:65535', { host: 'example.org', port: 65_535 }],
    ['[::1]:1', { host: '::1', port: 1 }],
    ['[fe80::1%eth0]:80', { host: 'fe80::1%eth0', port: 80 }],
  ])('parses and formats %s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
    expect(formatAddress(address)).toBe(text);
  });

  it.each(['', 'localhost', ':80', 'host:', 'host:0', 'host:65536', 'host:8a', 'host:-1', '[]:80'])(
    'rejects %j',
    (text) => {
      expect(() => parseAddress(text)).toThrow('but must be host:port, such as 127.0.0.1:4000.');
    },
  );

  it('recognizes loopback hosts', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '127.0.0.1.example.org', ''].some(isLoopback)).toBe(false);
  });
});
