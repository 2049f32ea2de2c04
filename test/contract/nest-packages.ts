/** The Nest packages that the contract specs need. */
export const NEST_PACKAGES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/platform-fastify',
  '@nestjs/platform-ws',
  '@nestjs/terminus',
  '@nestjs/testing',
  '@nestjs/websockets',
] as const;
