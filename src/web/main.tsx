import './ui/font.css';
import './ui/tokens.css';
import './ui/mantine.css';
import './lib/sign-on-code.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { currentSession, onSessionChange } from './lib/current-session.ts';
import { environmentQuery, queryClient } from './lib/queries.ts';
import { createRouter } from './shell/router.tsx';
import { colorSchemeManager } from './ui/color-scheme.ts';
import { theme } from './ui/theme.ts';

void queryClient.prefetchQuery(environmentQuery());
const router = createRouter();

// Data that was read for one person must not be seen by the next.
onSessionChange((why) => {
  queryClient.clear();
  if (currentSession() === null) void router.navigate('/login', { replace: why !== null, state: { notice: why } });
});

const root = document.getElementById('root');
if (root === null) throw new Error('Impossible: the page has no #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager()}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
