import './mantine.css';
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';

/** The page's scheme is set by color-scheme.ts, for screens with the library and without. */
const noRoot = (): undefined => undefined;

/** The component library, around what is made of it: it comes with the first part that is. */
export const Library = ({ children }: { children: ReactNode }) => (
  <MantineProvider theme={theme} getRootElement={noRoot} withCssVariables={false} withGlobalClasses={false}>
    {children}
  </MantineProvider>
);
