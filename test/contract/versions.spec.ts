import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readJson, type Manifest } from '../support/workspace.js';
import { NEST_PACKAGES } from './nest-packages.js';

const { resolve } = createRequire(import.meta.url);

/** The folder that the package is loaded from. */
function folderOf(name: string): string {
  let dir = dirname(resolve(name));
  while (!dir.endsWith(join(...name.split('/')))) dir = dirname(dir);
  return dir;
}

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as Manifest).version;

/** Where the stack of whatever Nest calls shows the files of Nest. */
@Injectable()
class Caller implements OnModuleInit {
  stack = '';

  onModuleInit(): void {
    this.stack = new Error().stack ?? '';
  }
}

@Module({ providers: [Caller] })
class CallerModule {}

describe('the versions of Nest in use', () => {
  const expected = process.env.ROOST_NEST_VERSIONS
    ? (JSON.parse(process.env.ROOST_NEST_VERSIONS) as Record<string, string>)
    : readJson<Manifest>('package.json').devDependencies!;

  it('are those that this run is meant for', () => {
    const used = Object.fromEntries(NEST_PACKAGES.map((name) => [name, versionOf(name)]));
    console.log(Object.entries(used).map((one) => one.join('@')).join(' ')); // prettier-ignore
    expect(used).toEqual(Object.fromEntries(NEST_PACKAGES.map((name) => [name, expected[name]])));
  });

  it('are those whose code runs', async () => {
    const app = await NestFactory.createApplicationContext(CallerModule, { logger: false });
    expect(app.get(Caller).stack).toContain(folderOf('@nestjs/core') + sep);
    await app.close();
  });
});
