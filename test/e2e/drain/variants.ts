/** The kind of server in the application under test. */
export interface Variant {
  readonly adapter: 'express' | 'fastify';
  /** `h2` is HTTP/2 over TLS, which Nest supports only with Fastify. */
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
/** For properties that do not depend on the transport: signals, boot, hooks. */
export const overPlainHttp = ({ scheme }: Variant): boolean => scheme === 'http';
export const overHttp2 = ({ scheme }: Variant): boolean => scheme === 'h2';
