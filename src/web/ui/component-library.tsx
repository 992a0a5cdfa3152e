import './mantine.css';
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { theme } from './theme.ts';

/** color-scheme.ts sets the page's scheme, for screens with and without the library. */
const noRoot = (): undefined => undefined;

/** Wraps content that uses the component library; the library loads with the first such content. */
export const ComponentLibrary = ({ children }: { children: ReactNode }) => (
  <MantineProvider theme={theme} getRootElement={noRoot} withCssVariables={false} withGlobalClasses={false}>
    {children}
  </MantineProvider>
);
