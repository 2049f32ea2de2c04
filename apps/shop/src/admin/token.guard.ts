import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ShopConfig } from '../config.js';

@Injectable()
export class TokenGuard implements CanActivate {
  constructor(private readonly config: ShopConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<IncomingMessage>().headers;
    if (!isSame(authorization, `Bearer ${this.config.adminToken}`)) throw new UnauthorizedException();
    return true;
  }
}

/** Takes as long for a wrong secret as for the right one. The hashes are of one length, whatever was sent. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(sha256(given), sha256(expected));
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
