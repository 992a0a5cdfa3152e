import './components/mantine.css';
import '@mantine/notifications/styles.layer.css';
import './components/font.css';
import './components/tokens.css';
import './components/theme.css';
import './components/page.css';
import './data/sign-on-code.ts';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { currentSession } from './data/current-session.ts';
import { callEarly } from './data/early-calls.ts';
import { loadEnvironment } from './data/environment.ts';
import { keepFocus } from './shell/keep-focus.ts';
import { router } from './shell/router.tsx';
import { theme } from './components/theme.ts';

void loadEnvironment();
const session = currentSession();
// After a consent, the screen reads what it changed.
const isAfterConsent = new URLSearchParams(window.location.search).has('reload');
if (session !== null && !isAfterConsent) callEarly(session, window.location.pathname);
keepFocus();

const root = document.getElementById('root');
if (root === null) throw new Error('Impossible: the page has no #root');
createRoot(root).render(
  <StrictMode>
    {/* The content security policy forbids the style elements of variables and classes. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={localStorageColorSchemeManager({ key: 'color-scheme' })}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {/* Inputs that are part of the URL must change with each key. */}
      <RouterProvider router={router} useTransitions={false} />
    </MantineProvider>
  </StrictMode>,
);
