/** Which server the application under test has. */
export interface Variant {
  readonly adapter: 'express' | 'fastify';
  /** `h2`: HTTP/2 over TLS, which Nest offers with Fastify only. */
  readonly scheme: 'http' | 'https' | 'h2';
}

export const VARIANTS: readonly Variant[] = [
  { adapter: 'express', scheme: 'http' },
  { adapter: 'fastify', scheme: 'http' },
  { adapter: 'express', scheme: 'https' },
  { adapter: 'fastify', scheme: 'https' },
  { adapter: 'fastify', scheme: 'h2' },
];

export const everywhere = (): boolean => true;
export const overHttp1 = ({ scheme }: Variant): boolean => scheme !== 'h2';
/** For what the transport cannot change: signals, boot, hooks. */
export const overPlainHttp = ({ scheme }: Variant): boolean => scheme === 'http';
export const overHttp2 = ({ scheme }: Variant): boolean => scheme === 'h2';
