import type { ComponentType, ReactNode } from 'react';
import type { Session } from '../lib/session.ts';

/** Path of the one screen that does without the frame of the application. */
export const loginPath = '/login';

/** The frame of the application, with what its screens are made of; null until it was loaded. */
let Application: ComponentType<{ readonly session: Session | null }> | null = null;

/** Loads the frame of the application; at once when it is there. */
export async function loadApplication(): Promise<void> {
  Application ??= (await import('./application.tsx')).Application;
}

/**
 * Draws the frame for the screen of a path.
 *
 * @param path as the table of screens has it; null when there is no screen yet.
 * @returns null for a screen that needs none, and before it was loaded.
 */
export const drawApplication = (path: string | null, session: Session | null): ReactNode =>
  path === null || path === loginPath || Application === null ? null : <Application session={session} />;
