import { isIPv6 } from 'node:net';
import { InvalidDataflowOptionError } from '../../errors/invalid-dataflow-option.error.js';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export const formatAddress = ({ host, port }: Address): string =>
  isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;

/** @throws InvalidDataflowOptionError */
export function parseAddress(text: string): Address {
  const [, host, port] = /^\[?([^[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidDataflowOptionError('address of a peer', text, 'host:port, such as 127.0.0.1:4000');
  }
  return { host, port: Number(port) };
}

/** Whether the host cannot be reached from another machine. */
export const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host);
