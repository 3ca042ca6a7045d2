// Stands for platform/platform-impl/src/com/intellij/ui/layout/ValidationInfoBuilder.kt.
package com.intellij.ui.layout

public class ValidationInfoBuilder
