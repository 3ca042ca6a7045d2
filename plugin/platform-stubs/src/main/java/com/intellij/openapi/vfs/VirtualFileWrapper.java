package com.intellij.openapi.vfs;

import java.io.File;

/** Stands for platform/platform-api/src/com/intellij/openapi/vfs/VirtualFileWrapper.java. */
public class VirtualFileWrapper {
    public File getFile() {
        throw new UnsupportedOperationException();
    }
}
